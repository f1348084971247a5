"""Multibody dynamics: one mechanism, written once; numbers, symbols and machine code from it.

    import torseur as ts

Names are loaded when first used, so that importing the package is quick.  Every public name of
the rooms below is a name of the package: `ts.Revolute` is `torseur.joints.Revolute`.
"""

from importlib import import_module as _import

from . import keyboard as _keyboard, views
from ._lazy import uncollected as _uncollected

_keyboard.heed_lost_ones()

__version__ = "0.1.0"

_HOME = {
    "model": ("Body", "Frame", "Input", "Joint", "Loop", "Model", "Rotor", "DH", "from_dh", "load"),
    "joints": (
        "EVERY_JOINT",
        "Cylindrical",
        "Free",
        "Helical",
        "Planar",
        "Prismatic",
        "Revolute",
        "Spherical",
        "Universal",
        "Weld",
    ),
    "system": ("System", "check"),
    "quantities": ("Dynamics", "compile"),
    "errors": (
        "ArgumentError",
        "AssemblyError",
        "IntegrationError",
        "KernelError",
        "ModelError",
        "ModelWarning",
        "NotInRing",
        "SingularPose",
        "TorseurError",
    ),
    "forces": ("JointForce", "PointForce", "Spring", "Viscous", "Wrench"),
    "dynamics": ("global_inertia",),
    "symbolic": ("Equations", "equations"),
    "integrate": ("METHODS", "Method", "method"),
    "simulation": ("simulate",),
    "fmu": ("export_fmu",),
    "solve": ("equilibrium", "inverse", "inverse_kinematics", "linearize", "modes"),
    "results": ("Trajectory",),
}
_FROM = {name: room for room, names in _HOME.items() for name in names}
_OPEN = (
    "model",
    "constraints",
    "joints",
    "forces",
    "simulation",
    "solve",
    "results",
    "robots",
    "vehicles",
    "show",
    "studies",
)
_ROOMS = (
    "compiler",
    "constraints",
    "crash",
    "dynamics",
    "errors",
    "fmu",
    "forces",
    "formalisms",
    "identify",
    "integrate",
    "joints",
    "kinematics",
    "model",
    "numbers",
    "quantities",
    "results",
    "robots",
    "show",
    "simulation",
    "solve",
    "spatial",
    "studies",
    "symbolic",
    "system",
    "vehicles",
)
__all__ = sorted(_FROM)


def __getattr__(name: str):
    if name in _ROOMS:
        return _import(f".{name}", __name__)
    room = _room_of(name)
    if room is None:
        raise AttributeError(f"module 'torseur' has no attribute {name!r}")
    with _uncollected():
        value = getattr(_import(f".{room}", __name__), name)
    globals()[name] = value
    return value


def _names(room: str) -> tuple[str, ...]:
    return tuple(getattr(_import(f".{room}", __name__), "__all__", ()))


def _room_of(name: str) -> str | None:
    """The room that a public name comes from."""
    if name in _FROM or name.startswith("_"):
        return _FROM.get(name)
    return next((room for room in _OPEN if name in _names(room)), None)


_SOLVED = ("posture",)  # views that compute: from `solve`, the others from `show`
views.offer(lambda name: getattr(_import(".solve" if name in _SOLVED else ".show", __name__), name))


def __dir__():
    return sorted({*globals(), *__all__, *_ROOMS, *(n for room in _OPEN for n in _names(room))})
