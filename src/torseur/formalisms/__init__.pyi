from .base import formalism as formalism, formalisms as formalisms
from .global_inertia import GlobalInertia as GlobalInertia, christoffel as christoffel
