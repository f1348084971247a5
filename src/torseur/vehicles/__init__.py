"""Vehicles: suspensions as complex joints, what their designer reads, and tyres."""

from ..forces import Tyre
from .corners import four_corners, mirror
from .suspension import SuspensionReport, suspension_report

__all__ = ["SuspensionReport", "Tyre", "four_corners", "mirror", "suspension_report"]
