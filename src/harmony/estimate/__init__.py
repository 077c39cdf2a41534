"""Estimates: from a tally to means and histograms with honest error bars."""

from .base import Estimate
from .compare import Comparison, compare
from .crosstab import CrosstabEstimate
from .decode import estimate
from .distribution import DistributionEstimate
from .histogram import HistogramEstimate
from .mean import MeanEstimate
from .result import Result

__all__ = [
    "Comparison",
    "CrosstabEstimate",
    "DistributionEstimate",
    "Estimate",
    "HistogramEstimate",
    "MeanEstimate",
    "Result",
    "compare",
    "estimate",
]
