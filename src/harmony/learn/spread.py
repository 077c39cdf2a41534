"""How a score is spread: what a clip hides of how far it parts people.

A score of many alike features is nearly normal, and three deviations hide next to nothing of it.
But if a value that one in thirty have explains most, or a number with a long tail, a clip there
hides most of the score's variance, and a good model would seem to explain next to nothing.  How
features are spread is known, so what a clip hides follows, as if they were independent; and where
devices are many it is farther out.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from .features import Features
from .placing import Places
from .score import Score
from .trainer import QuestionEstimate

POINTS = 4096
CLIPS = (2.25, 3.0, 4.5, 6.0, 9.0)
"""Where a score may be clipped, in its deviations."""

INSTRUMENT_CLIP = 0.5
"""Where the score is clipped as an instrument, which makes the one bit count."""

DOUBT = 0.3
"""How far off what a clip hides may be, in what it is: features may go together."""

LEAST_SHOWN, LEAST_SHARE = 0.05, 0.01
"""However few make the score: else a value that next to nobody has would decide."""

SURE = 3.0
"""The errors by which a value must stand out of the noise to be as frequent as was told."""

NORMAL = np.array([NormalDist().inv_cdf((place + 0.5) / 512) for place in range(512)])


class Spread(NamedTuple):
    """What a score shows of itself where it is clipped at so many `deviations`."""

    deviations: float
    shown: float
    """The mean square of the clipped score, relative to that of the whole."""
    seen: float
    """The mean of the clipped score times the instrument, relative to that of the whole."""
    share: float
    """The mean of the whole score times the instrument, in deviations: of a normal one .77."""

    @property
    def doubt(self) -> float:
        """How far off the score's variance may be, relative to it."""
        return DOUBT * (1 - self.shown)

    @classmethod
    def clipped(cls, scores: Floats, deviations: float) -> Spread:
        """Return what shows of scores that are thought to be equally likely.

        >>> normal = Spread.clipped(NORMAL, 3.0)
        >>> normal.shown > 0.99, round(normal.share, 2)
        (True, 0.77)
        >>> rare = np.repeat([0.0, 1.0], [97, 3])
        >>> [round(Spread.clipped(rare, clip).shown, 2) for clip in (3.0, 6.0)]
        [0.3, 1.0]
        """
        z = (scores - scores.mean()) / max(float(scores.std()), 1e-12)
        far = np.clip(z, -deviations, deviations)
        near = np.clip(z / INSTRUMENT_CLIP, -1, 1)
        share = max(float(np.mean(z * near)), LEAST_SHARE)
        shown, seen = float(np.mean(far**2)), float(np.mean(far * near)) / share
        return cls(deviations, max(shown, LEAST_SHOWN), max(seen, LEAST_SHOWN), share)

    @classmethod
    def best(cls, scores: Floats, noise: float) -> Spread:
        """Return the clip of which noise and doubt add up to least.

        `noise` is the variance of the mean of all answers of one.
        """
        found = [cls.clipped(scores, clip) for clip in CLIPS]
        return min(found, key=lambda one: math.hypot(one.doubt, one.deviations**2 * noise**0.5))


def score_points(known: Features, places: Places, score: Score) -> Floats:
    """Return scores that stand for devices, if features had nothing to do with each other.

    Their orders are always the same, whatever NumPy: a training that is resumed asks the same.
    """
    bits, total = np.random.PCG64(0), np.zeros(POINTS)
    even = (np.arange(POINTS) + 0.5) / POINTS
    for feature, known_of_it, weights in zip(
        known.features, known.blocks, score.blocks, strict=True
    ):
        if not weights.any():
            continue
        if feature.values:
            shares = _shares(places.frequencies[feature.name], known_of_it.means)
            values = np.minimum(np.searchsorted(np.cumsum(shares), even), len(weights) - 1)
            own = weights[values]
        else:
            own = weights[0] * places.points(feature, POINTS)  # type: ignore[arg-type]  # a number
        total += own[np.argsort(bits.random_raw(POINTS))]
    return total


def _shares(told: QuestionEstimate, believed: Floats) -> Floats:
    """Return how frequent values are: as devices have told, of those that stand out of the noise.

    What is believed for the sake of weights is more even.
    """
    clear = told.estimates > SURE * np.sqrt(told.variance)
    shares: Floats = np.where(clear, told.estimates, believed)
    return shares / float(shares.sum())
