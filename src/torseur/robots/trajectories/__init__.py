"""Motion profiles, paths and time-optimal motions."""
