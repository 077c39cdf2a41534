"""The paper's experiments, run again."""

from .erm import reproduce_erm
from .experiment import Measured
from .mean_frequency import reproduce_mean_frequency
from .paper import Point, paper_points

__all__ = ["Measured", "Point", "paper_points", "reproduce_erm", "reproduce_mean_frequency"]
