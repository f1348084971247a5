"""Sensitivities of a motion."""
