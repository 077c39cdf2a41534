"""Intervals for values that were picked because their estimates are the largest.

Whoever looks at the largest of many estimates looks at those that noise has raised most.  With
single intervals most of them may miss.  Let R of k values be picked, and let intervals reach
down so far that a value's truth is below with the chance `a`, and up so far that it is above with
the chance `b`, where equal estimates have equal limits.  Then among the R picked ones,

- at most k a have truths below their intervals, on average: no more than of all k values do;
- at most R b have truths above.  Let T be the R values of greatest truth.  If a picked v that is
  not in T has its truth above its upper limit, then so has each w of T that was not picked: w's
  estimate is at most v's, so its limit is, too, and its truth is at least v's.  There are as many
  such w as picked values outside T, so no more picked values miss than values of T.

So with b = alpha / 2 and a = (R / k) alpha / 2, of the picked intervals a share of at most alpha
misses, on average, whatever the correlation.  Intervals that hold all at once would be wider:
for 24 of 500 values by 56% of this width (they reach 3.9 standard errors on both sides, these
3.0 down and 2.0 up), and those of Benjamini and Yekutieli (2005) by 22%.
"""

from __future__ import annotations

from .misses import Limits, Misses
from .sampling import Sampling
from .score import limits


def pick_interval(sampling: Sampling, picked: int, confidence: float) -> Limits:
    """Return (low, high) for each estimate, as they hold for the `picked` largest ones.

    >>> import numpy as np
    >>> from harmony.estimate.sampling import KnownSampling
    >>> many = KnownSampling(np.zeros(500), np.ones(500))
    >>> low, high = pick_interval(many, 24, 0.95)
    >>> round(float(low[0]), 2), round(float(high[0]), 2)
    (-3.04, 1.96)
    """
    return limits(sampling, Misses.of_picked(confidence, picked, len(sampling.estimates)))
