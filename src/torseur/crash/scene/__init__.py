"""Crash scenes: vehicles, obstacles, scenarios."""
