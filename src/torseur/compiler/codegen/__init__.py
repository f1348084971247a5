"""Code generators: straight-line programs to LLVM IR, C and Python."""
