"""Estimates: from a tally to means and histograms with honest error bars."""

from .base import Estimate
from .decode import estimate
from .histogram import HistogramEstimate
from .mean import MeanEstimate
from .result import Result

__all__ = ["Estimate", "HistogramEstimate", "MeanEstimate", "Result", "estimate"]
