"""Formalisms: the equations of motion, each as one short text over any scalar."""

from .base import formalism, formalisms
from .global_inertia import GlobalInertia, christoffel

__all__ = ["GlobalInertia", "christoffel", "formalism", "formalisms"]
