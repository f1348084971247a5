"""Vehicles: suspensions as complex joints, what their designer reads, and tires."""

from ..forces import Tire
from .compliance import ComplianceReport, compliance_report
from .corners import four_corners, mirror
from .ride import RideReport, ride_report
from .roll import RollReport, roll_report
from .steering import SteeringReport, steering_report
from .suspension import SuspensionReport, suspension_report

__all__ = [
    "ComplianceReport",
    "RideReport",
    "RollReport",
    "SteeringReport",
    "SuspensionReport",
    "Tire",
    "compliance_report",
    "four_corners",
    "mirror",
    "ride_report",
    "roll_report",
    "steering_report",
    "suspension_report",
]
