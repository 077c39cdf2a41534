"""What a mechanism reads off the counts of one attribute."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import Floats


@dataclass(frozen=True)
class Moments:
    """The decoded answers of one attribute: one entry for a mean, k for a histogram.

    A report decodes to a number whose expectation is the device's own value (or its
    indicator).  `total` is its variance: devices differ, and each of them was randomised.
    """

    n: int
    estimates: Floats
    total: Floats
