"""The description of a mechanism, and its readers and writers."""

from .._lazy import lazily
from .description import Body, Frame, Input, Joint, Loop, Model, Parameters, Rotor

__getattr__ = lazily(
    __name__,
    {
        "constraints": "Contact Coupling Distance Driven DryFriction Gear Holonomic KnifeEdge "
        "Mimic Pfaffian PointOnLine PointOnPlane PointOnSurface Rack Rolling Screw",
        "curves": "PointOnCurve",
        "dh": "DH DHTable from_dh",
        "formats.files": "load save",
        "shapes": "Box Capsule Cylinder Ellipsoid Mesh Sphere",
    },
)
__all__ = [
    "DH",
    "Body",
    "Box",
    "Capsule",
    "Contact",
    "Coupling",
    "Cylinder",
    "DHTable",
    "Distance",
    "Driven",
    "DryFriction",
    "Ellipsoid",
    "Frame",
    "Gear",
    "Holonomic",
    "Input",
    "Joint",
    "KnifeEdge",
    "Loop",
    "Mesh",
    "Mimic",
    "Model",
    "Parameters",
    "Pfaffian",
    "PointOnCurve",
    "PointOnLine",
    "PointOnPlane",
    "PointOnSurface",
    "Rack",
    "Rolling",
    "Rotor",
    "Screw",
    "Sphere",
    "from_dh",
    "load",
    "save",
]
