"""Lines of action: one file each, declared with `@line`."""
