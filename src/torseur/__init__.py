"""Multibody dynamics: one mechanism, written once; numbers, symbols and machine code from it.

    import torseur as ts

Names are loaded when first used, so that importing the package is quick.
"""

from importlib import import_module

__version__ = "0.1.0"

_HOME = {
    "model": ("Body", "Frame", "Input", "Joint", "Loop", "Model", "Rotor", "DH", "from_dh", "load"),
    "joints": ("EVERY_JOINT", "Cylindrical", "Free", "Helical", "Planar", "Prismatic", "Revolute",
               "Spherical", "Universal", "Weld"),
    "system": ("System", "check"),
    "kernels": ("Dynamics", "compile"),
    "errors": ("AssemblyError", "IntegrationError", "KernelError", "ModelError", "ModelWarning",
               "NotInRing", "SingularPose", "TorseurError"),
    "equations": ("Equations", "equations"),
}
_FROM = {name: room for room, names in _HOME.items() for name in names}
_ROOMS = ("design", "dynamics", "equations", "errors", "forces", "formalisms", "identify", "joints",
          "kernels", "kinematics", "model", "results", "scalar", "show", "simulate", "spatial",
          "studies", "system", "values")
__all__ = sorted(_FROM)


def __getattr__(name: str):
    if name in _FROM:
        value = getattr(import_module(f".{_FROM[name]}", __name__), name)
        globals()[name] = value
        return value
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'torseur' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__, *_ROOMS})
