"""Run time of kernels: target machine, cache of object code, gufuncs, fast call."""
