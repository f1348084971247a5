"""Inverse dynamics along a trajectory."""
