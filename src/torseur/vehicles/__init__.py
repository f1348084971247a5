"""Vehicles: suspensions as complex joints, and what their designer reads."""

from .suspension import SuspensionReport, suspension_report

__all__ = ["SuspensionReport", "suspension_report"]
