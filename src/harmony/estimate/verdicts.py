"""Whether an estimate says something: its signal against its noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .intervals import single
from .tails import upper_tail

if TYPE_CHECKING:
    from ..arrays import Floats
    from .sampling import Sampling

OK = "ok"
TOO_FEW = "too few reports to say"

FALSE_ALARMS = 0.05
"""How often any value that nobody has may be told apart from zero."""

MOST_OF_IT = 0.5
"""The share of the answers that values told apart from zero must have for a histogram to be ok."""


def is_too_wide(sampling: Sampling, length: float, too_wide: float) -> bool:
    """Whether the widest 95% interval is more than this share of a domain of this length."""
    errors = np.sqrt(sampling.variance)
    return not bool(2 * single(0.95) * errors.max() <= too_wide * length)


def apart_from_zero(sampling: Sampling) -> NDArray[np.bool_]:
    """Return which shares can be told apart from zero, all of them together at 5%.

    Each is tested with the noise that a value has which nobody has.
    """
    nobody = np.zeros_like(sampling.estimates)
    tails = upper_tail(sampling.estimates, sampling.cumulants(nobody), sampling.step)
    return np.asarray(tails <= 1 - (1 - FALSE_ALARMS) ** (1 / len(nobody)))


def histogram_verdict(too_wide: bool, detected: NDArray[np.bool_], shares: Floats) -> str:
    """Return the verdict on a histogram.

    `detected` are the values told apart from zero, `shares` the consistent frequencies.

    >>> histogram_verdict(False, np.array([True, False]), np.array([0.4, 0.6]))
    'only 1 of 2 values can be told apart from zero'
    """
    if too_wide or not detected.any():
        return TOO_FEW
    if shares[detected].sum() >= MOST_OF_IT:
        return OK
    return f"only {int(detected.sum()):,} of {len(detected):,} values can be told apart from zero"
