"""Files of a model: YAML and JSON, URDF, MJCF, DH tables.  A file is read once, as data."""
