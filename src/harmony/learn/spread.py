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

INSTRUMENT_CLIPS, RESIDUAL_CLIPS = (INSTRUMENT_CLIP, 1.0, 1.5, 2.0, 3.0, 4.5), (3.0, 4.5, 6.0, 9.0)
"""Where a score and residuals, in deviations of the label, may be clipped to tell how they go with
each other.  Farther out both take more devices, but what remains to be guessed is less."""

DOUBT, LEAST_DOUBT = 0.3, 0.1
"""How far off what a clip hides may be, in what it is: features may go together.  And how far off
it may be in any case, by the square of the clip: what is thought of a score may be wrong."""

LINE_DOUBT, SKEWED_DOUBT, UNLEARNED_DOUBT = 0.03, 0.8, 0.25
"""How far off it may be that residuals go with the score along a line, beyond an instrument's clip:
a share of the score's variance there.  Little where noise is added to effects; where labels are
skewed, so much times their asymmetry, for there effects are often multiplied; and where a score is
mostly noise, that is off in its own way."""

SKEWED_HIDDEN = 0.3
"""What clipped residuals hide where labels are skewed, of the score's variance: so much times their
asymmetry, at three deviations, and less farther out by the square.  Of 200 random populations it
was .18 where labels are cut off at zero and .08 where they are exponentiated; else next to none."""

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
    instrument: float = INSTRUMENT_CLIP
    """Where the instrument is clipped, in deviations."""

    @property
    def doubt(self) -> float:
        """How far off the score's variance may be, relative to it."""
        return math.hypot(DOUBT * (1 - self.shown), LEAST_DOUBT / self.deviations**2)

    @property
    def guessed(self) -> float:
        """The share of the score's variance that is beyond the instrument's clip."""
        return max(1 - self.instrument * self.share, 0.0)

    @classmethod
    def clipped(
        cls, scores: Floats, deviations: float, instrument: float = INSTRUMENT_CLIP
    ) -> Spread:
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
        near = np.clip(z / instrument, -1, 1)
        share = max(float(np.mean(z * near)), LEAST_SHARE)
        shown, seen = float(np.mean(far**2)), float(np.mean(far * near)) / share
        shown, seen = max(shown, LEAST_SHOWN), max(seen, LEAST_SHOWN)
        return cls(deviations, shown, seen, share, instrument)

    @classmethod
    def best(cls, scores: Floats, noise: float) -> Spread:
        """Return the clip of which noise and doubt add up to least.

        `noise` is the variance of the mean of all answers of one.
        """
        found = [cls.clipped(scores, clip) for clip in CLIPS]
        return min(found, key=lambda one: math.hypot(one.doubt, one.deviations**2 * noise**0.5))


class Together(NamedTuple):
    """How it is asked what residuals have of a score, and how far off that may be."""

    spread: Spread
    residual: float
    """Where residuals are clipped, in deviations of the label."""
    asymmetry: float
    closed: float
    """The share of what can be learned that the score is thought to have."""

    @property
    def hidden(self) -> float:
        """What residuals have of the score beyond their clip, as a share of its variance."""
        return SKEWED_HIDDEN / 2 * self.asymmetry * (RESIDUAL_CLIPS[0] / self.residual) ** 2

    @property
    def doubt(self) -> float:
        """How far off that and the guess beyond the instrument's clip may be, as such a share."""
        line = LINE_DOUBT + SKEWED_DOUBT * self.asymmetry + UNLEARNED_DOUBT * (1 - self.closed)
        return math.hypot(line * self.spread.guessed, self.hidden)

    @classmethod
    def best(
        cls, scores: Floats, deviations: float, error: float, asymmetry: float, closed: float
    ) -> Together:
        """Return the clips of which noise and doubt add up to least.

        `error` is that of the mean of all answers, were the clips the deviations of label and
        score, relative to the latter.

        >>> [(one.spread.instrument, one.residual) for one in (
        ...     Together.best(NORMAL, 3.0, error, 0.5, 1.0) for error in (0.1, 0.001))]
        [(0.5, 3.0), (2.0, 6.0)]
        """
        found = [
            cls(Spread.clipped(scores, deviations, near), residual, asymmetry, closed)
            for near in INSTRUMENT_CLIPS
            for residual in RESIDUAL_CLIPS
        ]
        return min(
            found,
            key=lambda one: math.hypot(one.doubt, 2 * one.residual * error / one.spread.share),
        )


def asymmetry(points: Floats) -> float:
    """Return how much farther one side reaches from the median, from 0 to 1: as skewed labels do.

    >>> round(asymmetry(NORMAL), 2), round(asymmetry(np.exp(NORMAL)), 2)
    (0.0, 0.67)
    """
    low, middle, high = np.quantile(points, [0.05, 0.5, 0.95])
    return float(abs(low + high - 2 * middle) / max(high - low, 1e-12))


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
