"""Straight-line programs: reading, simplification, scheduling."""
