from .beam import Beam as Beam
from .decomposition import decomposed as decomposed
from .description import (
    Body as Body,
    Frame as Frame,
    Input as Input,
    Joint as Joint,
    Loop as Loop,
    Model as Model,
    Parameters as Parameters,
    Rotor as Rotor,
    quantity as quantity,
)
from .dh import DH as DH, DHTable as DHTable
from .dh_models import (
    actuated as actuated,
    dh_table as dh_table,
    from_dh as from_dh,
    with_dh as with_dh,
)
from .formats.load_save import load as load, save as save
from .shapes import (
    Box as Box,
    Capsule as Capsule,
    Cylinder as Cylinder,
    Ellipsoid as Ellipsoid,
    Mesh as Mesh,
    Shape as Shape,
    Sphere as Sphere,
)

__all__ = [
    "DH",
    "Beam",
    "Body",
    "Box",
    "Capsule",
    "Cylinder",
    "DHTable",
    "Ellipsoid",
    "Frame",
    "Input",
    "Joint",
    "Loop",
    "Mesh",
    "Model",
    "Parameters",
    "Rotor",
    "Sphere",
    "actuated",
    "decomposed",
    "from_dh",
    "load",
    "save",
]
