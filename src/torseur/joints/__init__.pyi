from ._axes import across as across, unit_axis as unit_axis
from ._linkage import Linkage as Linkage
from .base import AbstractJoint as AbstractJoint, SimpleJoint as SimpleJoint, joint as joint
from .complex import ComplexJoint as ComplexJoint, splined as splined
from .cylindrical import Cylindrical as Cylindrical
from .expression_joint import Guided as Guided
from .free import Free as Free
from .helical import Helical as Helical
from .mac_pherson import MacPherson as MacPherson, macpherson as macpherson
from .moving_base import (
    TIME as TIME,
    MovingBaseJoint as MovingBaseJoint,
    MovingPlacement as MovingPlacement,
)
from .planar import Planar as Planar
from .prismatic import Prismatic as Prismatic
from .revolute import Revolute as Revolute
from .spherical import Spherical as Spherical
from .tabulated import Tabulated as Tabulated
from .translation import Translation as Translation
from .universal import Universal as Universal
from .weld import Weld as Weld
from .wishbones import DoubleWishbone as DoubleWishbone, double_wishbone as double_wishbone

EVERY_JOINT: tuple[AbstractJoint, ...]
"""An instance of every joint and of every variant that has a formula of its own."""
__all__ = [
    "AbstractJoint",
    "ComplexJoint",
    "Cylindrical",
    "DoubleWishbone",
    "Free",
    "Guided",
    "Helical",
    "MacPherson",
    "Planar",
    "Prismatic",
    "Revolute",
    "Spherical",
    "Tabulated",
    "Translation",
    "Universal",
    "Weld",
    "double_wishbone",
    "joint",
    "macpherson",
]
