"""Key figures at the top of the report, one module for each card."""
