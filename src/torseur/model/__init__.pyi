from .constraints import (
    Contact as Contact,
)
from .constraints import (
    Coupling as Coupling,
)
from .constraints import (
    Distance as Distance,
)
from .constraints import (
    Driven as Driven,
)
from .constraints import (
    DryFriction as DryFriction,
)
from .constraints import (
    Gear as Gear,
)
from .constraints import (
    Holonomic as Holonomic,
)
from .constraints import (
    KnifeEdge as KnifeEdge,
)
from .constraints import (
    Mimic as Mimic,
)
from .constraints import (
    Pfaffian as Pfaffian,
)
from .constraints import (
    PointOnLine as PointOnLine,
)
from .constraints import (
    PointOnPlane as PointOnPlane,
)
from .constraints import (
    PointOnSurface as PointOnSurface,
)
from .constraints import (
    Rack as Rack,
)
from .constraints import (
    Rolling as Rolling,
)
from .constraints import (
    Screw as Screw,
)
from .curves import PointOnCurve as PointOnCurve
from .description import (
    Body as Body,
)
from .description import (
    Frame as Frame,
)
from .description import (
    Input as Input,
)
from .description import (
    Joint as Joint,
)
from .description import (
    Loop as Loop,
)
from .description import (
    Model as Model,
)
from .description import (
    Parameters as Parameters,
)
from .description import (
    Rotor as Rotor,
)
from .dh import DH as DH
from .dh import DHTable as DHTable
from .dh import from_dh as from_dh
from .formats.files import load as load
from .formats.files import save as save
from .shapes import (
    Box as Box,
)
from .shapes import (
    Capsule as Capsule,
)
from .shapes import (
    Cylinder as Cylinder,
)
from .shapes import (
    Ellipsoid as Ellipsoid,
)
from .shapes import (
    Mesh as Mesh,
)
from .shapes import (
    Sphere as Sphere,
)
