"""Joints: one small file each, one contract, one register (`register.py`)."""

from .._lazy import lazily
from .base import AbstractJoint

__getattr__ = lazily(
    __name__,
    {
        "complex": "ComplexJoint Guided Tabulated",
        "complex_linkages": "DoubleWishbone MacPherson double_wishbone macpherson",
        "cylindrical": "Cylindrical",
        "free": "Free",
        "helical": "Helical",
        "planar": "Planar",
        "prismatic": "Prismatic",
        "register": "EVERY_JOINT",
        "revolute": "Revolute",
        "spherical": "Spherical",
        "universal": "Universal",
        "weld": "Weld",
    },
)

from ._axes import across, unit_axis
from ._jets import Jet, Jets, part
from .complex import splined

__all__ = [
    "EVERY_JOINT",
    "AbstractJoint",
    "ComplexJoint",
    "Cylindrical",
    "DoubleWishbone",
    "Free",
    "Guided",
    "Helical",
    "Jet",
    "Jets",
    "MacPherson",
    "Planar",
    "Prismatic",
    "Revolute",
    "Spherical",
    "Tabulated",
    "Universal",
    "Weld",
    "across",
    "double_wishbone",
    "macpherson",
    "part",
    "splined",
    "unit_axis",
]
