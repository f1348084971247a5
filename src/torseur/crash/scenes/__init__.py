"""Example crash cases in YAML, for `torseur crash`."""
