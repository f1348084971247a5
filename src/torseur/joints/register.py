"""The register of joints: what every test of joints goes through."""

from .cylindrical import Cylindrical
from .free import Free
from .helical import Helical
from .planar import Planar
from .prismatic import Prismatic
from .revolute import Revolute
from .spherical import Spherical
from .universal import Universal
from .weld import Weld

EVERY_JOINT = (
    Weld(),
    Revolute("x"),
    Revolute("y"),
    Revolute("z"),
    Revolute((1, 2, 2)),
    Revolute((1, 1, 0)),
    Prismatic("x"),
    Prismatic((0, 3, 4)),
    Helical("z", 0.1),
    Helical((2, -1, 2), -0.3),
    Helical("y", 0),
    Cylindrical("x"),
    Cylindrical((1, 2, 2)),
    Universal("x", "y"),
    Universal("z", (1, 0, 1)),
    Spherical("quaternion"),
    Spherical("zxz"),
    Spherical("xyz"),
    Spherical("zyx"),
    Planar("z"),
    Planar("y", "translation_first"),
    Planar((1, 2, 2)),
    Free(),
    Free(speeds="world"),
    Free(speeds="mixed"),
    Free("zyx"),
    Free("xyz", "body"),
    Free("zxz", "world"),
    Free("zyx", "vehicle"),
    Free("xyz", "mixed"),
)
"""The register: an instance of every joint and of every variant that has a formula of its own."""
