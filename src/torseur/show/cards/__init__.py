"""Numbers that stand at the top of the report, one file a kind."""
