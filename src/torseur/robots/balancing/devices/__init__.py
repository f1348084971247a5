"""Balancing devices, one module each.  `@device.named` registers a class under its name."""

from .base import (
    Device,
    add_offset,
    check_device_types,
    check_devices,
    coordinate_name,
    device,
    find_joint,
    joint_axis,
    link_direction,
    model_of,
    multiply_term,
)
from .cam_spring import CamSpring
from .counterweight import Counterweight
from .parallelogram import Parallelogram, remove_couplings
from .pulley_spring import PulleySpring
from .redistribution import Redistribution
from .spring import BalancingSpring, Spring, hinge_sum

__all__ = [
    "BalancingSpring",
    "CamSpring",
    "Counterweight",
    "Device",
    "Parallelogram",
    "PulleySpring",
    "Redistribution",
    "Spring",
    "add_offset",
    "check_device_types",
    "check_devices",
    "coordinate_name",
    "device",
    "find_joint",
    "hinge_sum",
    "joint_axis",
    "link_direction",
    "model_of",
    "multiply_term",
    "remove_couplings",
]
