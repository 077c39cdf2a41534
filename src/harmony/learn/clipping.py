"""Clipping: how far from zero a gradient looks at residuals.

Its noise goes with the clip c, and of an effect the share of residuals shows that are not clipped:
so noise does least where c, divided by that share, is least.  Of normal residuals half a deviation
has a fifth less noise than a whole one; of residuals that are spread evenly, or lie on two sides,
it has none less.  But where labels are skewed, such as claims, which are mostly zero, a clip shows
who has one, and not how large it is: what it hides on one side only bends the direction, however
many devices there are, so the more there are the farther it is.  How residuals are spread nobody is
asked: most of their variance is thought to be spread as the labels are.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ..arrays import Floats

WIDE, NARROW = 1.0, 0.5
FARTHER = (1.5, 2.0)
"""Where residuals may be clipped, in their standard deviations."""

BENT = 0.2
"""What is lost of the direction where a clip hides all of what is on one side; it goes with the
square of what it hides.  Of invented claims it was .15, .05, .025 and .015 at half a deviation,
one, one and a half and two."""

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


SIDE, SIDE_NORMAL = 0.25, math.sqrt(2 / math.pi)
"""How near to zero residuals are whose side an effect changes; and by how much it moves the side of
normal residuals, in their deviations."""


class Clip(NamedTuple):
    """Where residuals are clipped, in standard deviations, and the share of an effect that shows.

    >>> Clip.of(NORMAL).deviations, Clip.of(np.array([-1.0, 1.0])).deviations
    (0.5, 1.0)
    """

    deviations: float = WIDE
    kept: float = KEPT_NORMAL
    side: float = SIDE_NORMAL
    """By how much an effect of a standard deviation moves the mean side of residuals."""
    bent: float = 0.0
    """What residuals' sides hide of one side more than of the other, where labels are skewed."""

    @classmethod
    def of(cls, labels: Floats, left: float = 1.0, noise: float = 1.0) -> Clip:
        """Return the best clip where labels that are thought to be equally likely are these.

        Of their variance the share `left` is not explained, and a clip at a deviation would lose
        the share `noise` of the direction by noise, if it kept all of every effect.
        """
        if left < LEAST_LEFT:
            return cls()
        residuals = spread_as(labels)

        def kept(clip: float) -> float:
            return float((np.abs(residuals) < clip).mean())

        def lost(clip: float, inside: float) -> float:
            return noise * (clip / inside) ** 2 + BENT * hidden_on_one_side(residuals, clip) ** 2

        wide = kept(WIDE)
        losses = {clip: lost(clip, wide) for clip in (WIDE, *FARTHER)}
        losses[NARROW] = lost(NARROW, (1 - LEAST_GAIN) * kept(NARROW))
        best = min(losses, key=lambda clip: losses[clip])
        side = KEPT_NORMAL * kept(SIDE) / SIDE / wide
        bent = hidden_on_one_side(residuals, SIDE)
        return cls(best, min(KEPT_NORMAL * kept(best) / wide, 1.0), side, bent)


def spread_as(labels: Floats) -> Floats:
    """Return residuals, in their standard deviations, that are spread as labels are, nearly."""
    own = (labels - labels.mean()) / max(float(labels.std()), 1e-12)
    spread: Floats = math.sqrt(1 - NORMAL_SHARE) * own + math.sqrt(NORMAL_SHARE) * NORMAL[:, None]
    return spread


def hidden_on_one_side(residuals: Floats, clip: float) -> float:
    """Return what a clip hides on one side more than on the other, of all that is on a side.

    >>> round(hidden_on_one_side(NORMAL, 0.5), 6)
    0.0
    >>> round(hidden_on_one_side(np.append(np.full(19, -1.0), 19.0), 2.0), 2)
    0.89
    """
    residuals = residuals - residuals.mean()
    side = max(float(np.abs(residuals).mean()) / 2, 1e-12)
    return abs(float(np.clip(residuals, -clip, clip).mean())) / side


WIDE_CLIP = Clip()
"""The clip of residuals of which nothing is known."""
