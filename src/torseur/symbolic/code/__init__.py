"""Equations as code: C, Python, Fortran, MATLAB."""
