from ._axes import across as across, unit_axis as unit_axis
from ._jets import Jet as Jet, Jets as Jets, part as part
from .base import AbstractJoint as AbstractJoint
from .complex import (
    ComplexJoint as ComplexJoint,
    Guided as Guided,
    Tabulated as Tabulated,
    splined as splined,
)
from .complex_linkages import (
    DoubleWishbone as DoubleWishbone,
    MacPherson as MacPherson,
    double_wishbone as double_wishbone,
    macpherson as macpherson,
)
from .cylindrical import Cylindrical as Cylindrical
from .free import Free as Free
from .helical import Helical as Helical
from .planar import Planar as Planar
from .prismatic import Prismatic as Prismatic
from .register import EVERY_JOINT as EVERY_JOINT
from .revolute import Revolute as Revolute
from .spherical import Spherical as Spherical
from .universal import Universal as Universal
from .weld import Weld as Weld
