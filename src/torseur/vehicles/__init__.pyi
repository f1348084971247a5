from .assembly import four_corners as four_corners, mirror as mirror
from .axle import (
    RollReport as RollReport,
    SteeringReport as SteeringReport,
    roll_report as roll_report,
    steering_report as steering_report,
)
from .compliance import ComplianceReport as ComplianceReport, compliance_report as compliance_report
from .ride_rate import RideReport as RideReport, ride_report as ride_report
from .suspension import SuspensionReport as SuspensionReport, suspension_report as suspension_report

__all__ = [
    "ComplianceReport",
    "RideReport",
    "RollReport",
    "SteeringReport",
    "SuspensionReport",
    "compliance_report",
    "four_corners",
    "mirror",
    "ride_report",
    "roll_report",
    "steering_report",
    "suspension_report",
]
