"""Clipping: how far from zero a gradient looks at residuals.

Its noise goes with the clip c, and of an effect the share of residuals shows that are not clipped:
so noise does least where c, divided by that share, is least.  Of normal residuals half a deviation
has a fifth less noise than a whole one; of residuals that are spread evenly, or lie on two sides,
it has none less.  How residuals are spread nobody is asked: most of their variance is thought to be
spread as the labels are.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ..arrays import Floats

WIDE, NARROW = 1.0, 0.5
"""Where residuals may be clipped, in their standard deviations."""

LEAST_GAIN = 0.09
"""By how much less the noise of a narrow clip must be, as a deviation; of normal labels it is by a
tenth."""

NORMAL_SHARE = 0.1
"""The share of the residuals' variance that is thought to be normal."""

LEAST_LEFT = 0.5
"""The share of the labels' variance that must be left for residuals to be spread as they are."""

NORMAL = np.array([NormalDist().inv_cdf((place + 0.5) / 32) for place in range(32)])

KEPT_NORMAL = math.erf(WIDE * math.sqrt(0.5))
"""The share of normal residuals that a wide clip keeps."""


class Clip(NamedTuple):
    """Where residuals are clipped, in standard deviations, and the share of an effect that shows.

    >>> Clip.of(NORMAL).deviations, Clip.of(np.array([-1.0, 1.0])).deviations
    (0.5, 1.0)
    """

    deviations: float = WIDE
    kept: float = KEPT_NORMAL

    @classmethod
    def of(cls, labels: Floats, left: float = 1.0) -> Clip:
        """Return the best clip where labels that are thought to be equally likely are these.

        Of their variance the share `left` is not explained.
        """
        if left < LEAST_LEFT:
            return cls()
        std = max(float(labels.std()), 1e-12)
        own = math.sqrt(1 - NORMAL_SHARE) * (labels - labels.mean()) / std
        residuals = np.abs(own + math.sqrt(NORMAL_SHARE) * NORMAL[:, None])
        ratio = float((residuals < NARROW).mean() / (residuals < WIDE).mean())
        if NARROW / ratio < (1 - LEAST_GAIN) * WIDE:
            return cls(NARROW, KEPT_NORMAL * ratio)
        return cls()


WIDE_CLIP = Clip()
"""The clip of residuals of which nothing is known."""
