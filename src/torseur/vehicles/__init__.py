"""Vehicles: suspensions as complex joints, and what their designer reads."""

from .corners import four_corners, mirror
from .suspension import SuspensionReport, suspension_report

__all__ = ["SuspensionReport", "four_corners", "mirror", "suspension_report"]
