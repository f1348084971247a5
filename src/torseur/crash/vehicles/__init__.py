"""Vehicle files that come with the package; see `garage`."""
