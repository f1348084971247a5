"""Formalisms: the equations of motion, each as one short text over any scalar."""

from .base import formalism, formalisms
from .global_inertia import GlobalInertia

__all__ = ["GlobalInertia", "formalism", "formalisms"]
