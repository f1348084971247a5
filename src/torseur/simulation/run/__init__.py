"""One run: record, method, limits, result, diagnostics."""
