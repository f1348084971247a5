"""Bundled vehicle files; see `bundled_vehicles`."""
