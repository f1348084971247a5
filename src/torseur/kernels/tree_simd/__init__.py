"""SIMD kernels over the tree."""
