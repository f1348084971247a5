"""Formulas of quantities, one idea a file; each function declares itself (see `register`)."""
