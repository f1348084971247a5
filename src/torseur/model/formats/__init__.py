"""Files of a model: YAML and JSON, URDF, MJCF, DH tables.  A file is read once, as data."""

from ..._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
