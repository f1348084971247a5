"""Expression graphs to machine code: compiled, counted, stamped, cached."""
