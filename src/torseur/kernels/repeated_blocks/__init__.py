"""Kernels of mechanisms with repeated blocks."""
