"""Model files to start from: `torseur new`."""
