from ._axes import across as across
from ._axes import unit_axis as unit_axis
from ._jets import Jet as Jet
from ._jets import Jets as Jets
from ._jets import part as part
from .base import AbstractJoint as AbstractJoint
from .complex import ComplexJoint as ComplexJoint
from .complex import Guided as Guided
from .complex import Tabulated as Tabulated
from .complex import splined as splined
from .complex_linkages import (
    DoubleWishbone as DoubleWishbone,
)
from .complex_linkages import (
    MacPherson as MacPherson,
)
from .complex_linkages import (
    double_wishbone as double_wishbone,
)
from .complex_linkages import (
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
