"""What a mechanism reads off the counts of one attribute: estimates and their variances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats


@dataclass(frozen=True)
class Moments:
    """The decoded answers of one attribute: one entry for a mean, k for a histogram.

    A report decodes to a number whose expectation is the device's own value (or its
    indicator).  Its variance has two parts: the devices differ (`total` - `noise`), and each
    of them was randomised (`noise`).
    """

    n: int
    estimates: Floats
    total: Floats
    noise: Floats

    def variance(self, reports: int) -> Floats:
        """Variance of the estimates around the truth over all `reports` devices that reported.

        Only n of them were asked this attribute.  The noise counts in full; the difference
        between devices counts for the share that was not asked (the finite-population
        correction of survey sampling).
        """
        if self.n == 0:
            return np.full_like(self.estimates, np.inf)
        asked = min(self.n / reports, 1.0)
        return (self.noise + (1 - asked) * (self.total - self.noise)) / self.n
