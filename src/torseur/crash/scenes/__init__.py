"""Whole crashes to copy and to change: YAML, for `torseur crash`."""
