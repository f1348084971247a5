"""Integration methods, one file each.  Every file registers its method (see `register`)."""
