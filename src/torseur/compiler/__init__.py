"""Compiler of kernels: straight-line programs and restricted Python to machine code, by LLVM.

No mechanics.  The layers, from the bottom:

`program`
    The intermediate representation: straight-line programs (SSA) with named arrays as ports.
    Reader of CasADi, normal form (value numbering, common subexpression elimination, constant
    folding, dead code elimination), instruction scheduling and FMA contraction, table lookup.
`runtime`
    Target machine and LLVM (passes, optimization levels, object code), persistent cache of code,
    kernels, NumPy gufuncs, and the fast call from Python.
`codegen`
    Code generators: LLVM IR of programs (basic blocks, SIMD lanes, calling conventions), of
    programs with multiple right-hand sides, repeated blocks, loops over links, SIMD kernels over
    the tree, and printers of C and Python.
`pyjit`
    Compiler of restricted Python, scalar and SIMD (SPMD with masks), and records shared with it.
`binaries`
    Linker for other machines: object files, sections, symbols, relocations, ELF and PE libraries.
"""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
