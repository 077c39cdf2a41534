"""Excess: what lies beyond a clip, which keeps the noise small but hides what is there.

Few devices lie beyond two deviations, but where labels are heavy-tailed they make most of the mean
square.  Too few answer to see how far out each octave goes, so the tail is taken to be generalised
Pareto, as tails of nearly all distributions tend to be (Pickands, 1975): a share of the devices,
with a scale and a shape, that ends where the domain ends.  A histogram of four edges beyond the
clip weighs all such tails, of which a light one is the likeliest before anyone answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..attributes import Numeric
from .step import Question
from .trainer import QuestionEstimate

EDGES = np.array([1.0, 1.5, 2.5, 5.0, 12.0])
"""Where the bins of a tail meet, in clips."""

LEAST_SHARE, MOST_SHARE, SHARES = 1e-4, 0.4, 41
SCALES, SHAPES = np.geomspace(0.1, 3.0, 20), np.arange(0.0, 1.25, 0.1)
"""The tails that are weighed: the shares of devices beyond the clip, each as likely; the scales of
how far, in clips, and the shapes: none is that of an exponential tail, and from a half on only the
end of the domain makes the variance finite."""

ERRORS = 5.0
"""How far from what was told the share beyond the clip is looked for, in standard errors."""

USUAL_SCALE, SCALE_DOUBT, USUAL_SHAPE = 0.35, 1.0, 0.3
"""The prior: a log-normal one of scales, and an exponential one of shapes."""

LEAST_NOISE = 1e-4
"""The least variance that noise gives an answer about a bin, where that cannot be told."""

LEAST_REACH, NEAREST, POINTS = 1.05, 1e-3, 200
"""The least reach of a tail, and where it is looked at: from the clip on, and so far beyond it."""


@dataclass(frozen=True, eq=False)
class Excess:
    """How much may lie beyond a clip, in units of that, and how likely each possibility is."""

    weights: Floats
    means: Floats
    """E[(|r| - 1)+], over all devices."""
    squares: Floats
    """E[(r^2 - 1)+]."""

    def times(self, clip: float) -> Excess:
        """Return the same in the units in which the clip is this."""
        return Excess(self.weights, clip * self.means, clip**2 * self.squares)


NO_EXCESS = Excess(np.ones(1), np.zeros(1), np.zeros(1))


def tail_question(term: str, clip: float, weight: int = 1) -> Question:
    """Ask how often a term lies in each bin beyond its clip, on either side.

    >>> [round(edge * 24**2, 2) for edge in tail_question("residual", 0.1).attribute.edges[:3]]
    [0.0, 1.0, 2.25]
    """
    far = 2 * float(EDGES[-1])
    edges = [0.0, *(float(edge) for edge in (EDGES / far) ** 2), 1.0]
    asked = Numeric(f"tail of the {term}", 0, 1, edges, weight)
    return Question(asked, {"is": "product", "of": [term] * 2, "clip": [far * float(clip)] * 2})


def excess(counts: QuestionEstimate, reach: float) -> Excess:
    """Return what may lie beyond the clip, of which `counts` tells; nothing is beyond `reach`.

    >>> light, heavy = np.array([1.0, 0, 0, 0, 0, 0]), np.array([0.9, 0.05, 0.03, 0.02, 0, 0])
    >>> told = [QuestionEstimate(9000, one, np.full(6, 1e-5)) for one in (light, heavy)]
    >>> [round(float(one.weights @ one.squares), 1) for one in (excess(o, 50.0) for o in told)]
    [0.0, 0.7]
    """
    beyond, means, squares = _tails(max(reach, LEAST_REACH))
    ends = np.append(beyond, np.zeros((len(beyond), 1)), axis=1)
    shares_beyond = _shares_beyond(counts)
    shares = shares_beyond[:, None, None] * -np.diff(ends, axis=1)
    shares = np.concatenate([1 - shares.sum(axis=2, keepdims=True), shares], axis=2)
    misfits = _misfits(counts, shares)
    prior = np.outer(
        np.exp(-((np.log(SCALES / USUAL_SCALE) / SCALE_DOUBT) ** 2) / 2),
        np.exp(-SHAPES / USUAL_SHAPE),
    )
    weights = prior.ravel() * np.exp(misfits.min() - misfits)
    likely = weights > 1e-7 * weights.max()
    found = (np.multiply.outer(shares_beyond, one) for one in (means, squares))
    return Excess(weights[likely] / weights[likely].sum(), *(one[likely] for one in found))


def _shares_beyond(counts: QuestionEstimate) -> Floats:
    """Return the shares beyond the clip that may be, closer to each other the better that is told.

    >>> shares, variances = np.array([0.96, 0.04]), (1e-5, 1.0)
    >>> told = [QuestionEstimate(9000, shares, np.full(2, one)) for one in variances]
    >>> [_shares_beyond(one)[[0, -1]].round(3).tolist() for one in told]
    [[0.024, 0.056], [0.0, 0.4]]
    """
    beyond, reach = 1 - float(counts.estimates[0]), ERRORS * math.sqrt(float(counts.variance[0]))
    low = min(max(beyond - reach, LEAST_SHARE), MOST_SHARE / 2)
    return np.geomspace(low, min(max(beyond + reach, 2 * low), MOST_SHARE), SHARES)


def _misfits(counts: QuestionEstimate, shares: Floats) -> Floats:
    """Return by how much the logarithm of the likelihood of these shares of bins is less than most.

    Where noise is small, chance decides how many of the few devices in a far bin are asked: so
    their number varies as it would with these shares, not as it seems to if there is nobody.

    >>> nobody = QuestionEstimate(1000, np.array([1.0, 0.0]), np.full(2, 1e-9))
    >>> [round(float(_misfits(nobody, np.array([1 - share, share]))), 1) for share in (1e-4, 1e-2)]
    [0.7, 14.6]
    """
    seen = np.clip(counts.estimates, 0.0, 1.0)
    noise = np.maximum(counts.variance - seen * (1 - seen) / counts.n, LEAST_NOISE / counts.n)
    variance = noise + shares * (1 - shares) / counts.n
    missed = (shares - counts.estimates) ** 2 / variance + np.log(variance / noise)
    return np.asarray(missed.sum(axis=-1) / 2)


def _tails(reach: float) -> tuple[Floats, Floats, Floats]:
    """Return, for each scale and shape, what share of a tail is beyond each edge, and its excess.

    >>> beyond, means, squares = _tails(1e6)
    >>> beyond[0].round(4).tolist(), round(float(means[0]), 3), round(float(squares[0]), 2)
    ([1.0, 0.0067, 0.0, 0.0, 0.0], 0.1, 0.22)
    """
    grid = 1 + np.append(0.0, np.geomspace(NEAREST, reach - 1, POINTS - 1))
    x = np.append(grid, EDGES)
    scales, shapes = SCALES[:, None, None], SHAPES[None, :, None]
    away = (x - 1) / scales
    powers = (1 + shapes * away) ** (-1 / np.where(shapes > 0, shapes, 1.0))
    beyond = np.where(shapes > 0, powers, np.exp(-away)).reshape(-1, len(x))
    end = beyond[:, POINTS - 1 : POINTS]
    beyond = np.clip((beyond - end) / (1 - end), 0.0, 1.0)
    curve = beyond[:, :POINTS]
    return beyond[:, POINTS:], _integral(curve, grid), _integral(2 * grid * curve, grid)


def _integral(curves: Floats, grid: Floats) -> Floats:
    """Return the area below each curve, by the trapezoidal rule."""
    return np.asarray((curves[:, 1:] + curves[:, :-1]) / 2 @ np.diff(grid))
