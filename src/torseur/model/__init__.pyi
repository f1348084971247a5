from .constraints import (
    Contact as Contact,
    Coupling as Coupling,
    Distance as Distance,
    Driven as Driven,
    DryFriction as DryFriction,
    Gear as Gear,
    Holonomic as Holonomic,
    KnifeEdge as KnifeEdge,
    Mimic as Mimic,
    Pfaffian as Pfaffian,
    PointOnLine as PointOnLine,
    PointOnPlane as PointOnPlane,
    PointOnSurface as PointOnSurface,
    Rack as Rack,
    Rolling as Rolling,
    Screw as Screw,
)
from .curves import PointOnCurve as PointOnCurve
from .description import (
    Body as Body,
    Frame as Frame,
    Input as Input,
    Joint as Joint,
    Loop as Loop,
    Model as Model,
    Parameters as Parameters,
    Rotor as Rotor,
)
from .dh import DH as DH, DHTable as DHTable, from_dh as from_dh
from .formats.files import load as load, save as save
from .shapes import (
    Box as Box,
    Capsule as Capsule,
    Cylinder as Cylinder,
    Ellipsoid as Ellipsoid,
    Mesh as Mesh,
    Sphere as Sphere,
)
