"""Files of a model: YAML and JSON, URDF, MJCF, DH tables.  A file is read once, as data."""

from ..._lazy import door

__getattr__, __dir__, __all__ = door(__name__, __file__)
