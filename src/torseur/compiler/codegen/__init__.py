"""Code generators: programs to LLVM and C."""
