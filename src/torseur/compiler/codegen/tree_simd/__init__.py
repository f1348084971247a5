"""SIMD kernels over the tree: links and pairs of joints in the lanes of vectors."""
