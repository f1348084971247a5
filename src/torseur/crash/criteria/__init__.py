"""Metrics of pulses, occupants and channels."""
