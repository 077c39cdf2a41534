"""The demonstration behind `harmony demo`."""

from .fleet import fleet_survey, fleet_truth, simulate_fleet
from .run import Demonstration, DemoResult, Invitation, ReportCounts

__all__ = [
    "DemoResult",
    "Demonstration",
    "Invitation",
    "ReportCounts",
    "fleet_survey",
    "fleet_truth",
    "simulate_fleet",
]
