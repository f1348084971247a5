from ._axes import across as across
from ._axes import unit_axis as unit_axis
from ._jets import Jet as Jet
from ._jets import Jets as Jets
from ._jets import part as part
from .base import AbstractJoint as AbstractJoint
from .base import joint as joint
from .complex import ComplexJoint as ComplexJoint
from .complex import splined as splined
from .cylindrical import Cylindrical as Cylindrical
from .free import Free as Free
from .guided import Guided as Guided
from .helical import Helical as Helical
from .mac_pherson import MacPherson as MacPherson
from .mac_pherson import macpherson as macpherson
from .planar import Planar as Planar
from .prismatic import Prismatic as Prismatic
from .revolute import Revolute as Revolute
from .spherical import Spherical as Spherical
from .tabulated import Tabulated as Tabulated
from .universal import Universal as Universal
from .weld import Weld as Weld
from .wishbones import DoubleWishbone as DoubleWishbone
from .wishbones import double_wishbone as double_wishbone

EVERY_JOINT: tuple[AbstractJoint, ...]
"""An instance of every joint and of every variant that has a formula of its own."""
