"""The paper's experiments, run again."""

from .cross_validation import METHODS as ERM_METHODS
from .erm import reproduce_erm
from .experiment import Measured
from .mean_frequency import reproduce_mean_frequency
from .paper import Point, paper_points

__all__ = [
    "ERM_METHODS",
    "Measured",
    "Point",
    "paper_points",
    "reproduce_erm",
    "reproduce_mean_frequency",
]
