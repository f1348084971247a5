"""Laws of force: one file each, declared with `@law`."""
