"""Linker for other machines: object files, symbols, relocations, ELF and PE libraries."""
