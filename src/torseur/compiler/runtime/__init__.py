"""Kernels at run time: machine, cache, NumPy gufuncs."""
