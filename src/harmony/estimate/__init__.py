"""Estimates: from a tally to means and histograms with honest error bars."""

from .decode import estimate
from .histogram import HistogramEstimate
from .mean import MeanEstimate
from .result import Result

__all__ = ["HistogramEstimate", "MeanEstimate", "Result", "estimate"]
