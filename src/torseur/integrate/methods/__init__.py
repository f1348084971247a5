"""Methods of integration, one file each; every one declares itself (see `register`)."""
