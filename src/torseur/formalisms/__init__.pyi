from .base import FORMALISMS as FORMALISMS, formalism as formalism
from .global_inertia import GlobalInertia as GlobalInertia, christoffel as christoffel

__all__ = ["FORMALISMS", "GlobalInertia", "christoffel"]
