"""The description of a mechanism, and its readers and writers."""

from .description import Body, Frame, Input, Joint, Loop, Model, Parameters, Rotor
from .dh import DH, from_dh

__all__ = ["DH", "Body", "Frame", "Input", "Joint", "Loop", "Model", "Parameters", "Rotor",
           "from_dh"]
