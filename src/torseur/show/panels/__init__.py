"""Panels of the report, one file each."""
