"""How often each level of a distribution is asked, and how well its CDF is then known.

A prefix of the leaves, whose share is the CDF at its end, is taken apart into what it says about
the bins of each level relative to the bin that they are part of.  Over all prefixes, that part of
it has at level j the mean squared length q_j s_j, where s_j is the number of leaves of a bin
and, with b bins in a bin, q_j = (b - 1) / 6, or (b^2 - 1) / (6 b) for the leaves themselves, of
which a prefix has each or has it not.  An answer about level l tells about each of its bins with
variance v_l, so the least-squares estimate knows level j with the precision

    lambda_j = sum of w_l s_l / v_l over the levels l >= j,

w_l being the share of answers that level l gets, and the variance of the CDF is the sum of
q_j s_j / lambda_j.  That is a convex function of the shares.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Floats

ITERATIONS = 500


def level_shares(sizes: Sequence[int], variances: Sequence[float]) -> tuple[list[float], float]:
    """Return the share of answers for each level, and n times the CDF's mean variance.

    `sizes` are the numbers of bins, which rise, and `variances` those of one answer.

    >>> shares, variance = level_shares([4, 16, 64, 256], [2.9, 3.3, 3.6, 3.7])
    >>> [round(one, 2) for one in shares], round(variance, 1)
    ([0.18, 0.23, 0.23, 0.36], 23.4)
    """
    width, precision = 1 / np.array(sizes, np.float64), 1 / np.array(variances)
    inside = np.array(sizes) / np.array([1, *sizes[:-1]])
    wanted = (inside - 1) / 6 * width
    wanted[-1] *= 1 + 1 / inside[-1]
    shares: Floats = np.full(len(sizes), 1 / len(sizes))
    for _ in range(ITERATIONS):
        known = np.cumsum((shares * width * precision)[::-1])[::-1]
        gain = width * precision * np.cumsum(wanted / known**2)
        shares = shares * np.sqrt(gain)
        shares /= shares.sum()
    known = np.cumsum((shares * width * precision)[::-1])[::-1]
    return shares.tolist(), float((wanted / known).sum())
