"""Lowering of a checked description to the core mechanism."""
