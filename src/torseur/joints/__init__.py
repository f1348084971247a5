"""Joints: one small file each, one contract, one register."""

from .._lazy import attach_stub

_named, __dir__, __all__ = attach_stub(__name__, __file__, "base.joint")


def __getattr__(name: str):
    if name == "EVERY_JOINT":  # the complex ones have tests of their own
        complex_ = _named("ComplexJoint")
        return tuple(j for j in _named("joint").examples() if not isinstance(j, complex_))
    return _named(name)
