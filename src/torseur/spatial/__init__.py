"""Poses, twists, wrenches, inertias, rotations: spatial algebra over any scalar."""

from .._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
