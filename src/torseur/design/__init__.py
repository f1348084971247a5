"""Design: what a mechanism does, as its designer reads it."""

from .suspension import SuspensionReport, suspension_report

__all__ = ["SuspensionReport", "suspension_report"]
