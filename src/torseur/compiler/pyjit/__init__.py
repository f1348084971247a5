"""Translator of restricted Python to LLVM, scalar and SIMD."""
