"""The demonstration behind `harmony demo`."""

from .fleet import fleet_survey, fleet_truth, simulate_fleet
from .run import Demo, Demonstration, Turnout

__all__ = [
    "Demo",
    "Demonstration",
    "Turnout",
    "fleet_survey",
    "fleet_truth",
    "simulate_fleet",
]
