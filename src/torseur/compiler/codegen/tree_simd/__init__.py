"""SIMD kernels over the tree: LLVM of their stages."""
