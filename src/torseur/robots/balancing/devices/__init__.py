"""Devices that balance weight, one a file; what a file declares with `@device` is known by name."""

from .base import (
    Device,
    along_link,
    check_devices,
    check_names,
    coordinate,
    device,
    joint_of,
    model_of,
    placement,
    product,
    total,
)
from .cam_spring import CamSpring
from .counterweight import Counterweight
from .parallelogram import Parallelogram, uncoupled
from .pulley_spring import PulleySpring
from .redistribution import Redistribution
from .spring import BalancingSpring, Spring, hinges

__all__ = [
    "BalancingSpring",
    "CamSpring",
    "Counterweight",
    "Device",
    "Parallelogram",
    "PulleySpring",
    "Redistribution",
    "Spring",
    "along_link",
    "check_devices",
    "check_names",
    "coordinate",
    "device",
    "hinges",
    "joint_of",
    "model_of",
    "placement",
    "product",
    "total",
    "uncoupled",
]
