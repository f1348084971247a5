"""Compiler of restricted Python to LLVM IR, scalar and SIMD (SPMD with masks)."""
