"""Static balancing."""
