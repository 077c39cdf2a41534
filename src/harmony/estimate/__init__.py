"""Estimates: from a tally to means and histograms with honest error bars."""

from .base import Estimate
from .compare import Comparison, compare
from .decode import estimate
from .histogram import HistogramEstimate
from .mean import MeanEstimate
from .result import Result

__all__ = [
    "Comparison",
    "Estimate",
    "HistogramEstimate",
    "MeanEstimate",
    "Result",
    "compare",
    "estimate",
]
