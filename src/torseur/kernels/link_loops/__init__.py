"""Kernels of long trees as loops over links."""
