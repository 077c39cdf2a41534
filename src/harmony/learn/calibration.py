"""Calibration: the last step of a training, which sets the level of a score.

For squared loss some devices tell the mean of what is left.  For the other losses they say in
which of a few bins their score lies, and their label; a logistic line through that private curve
says what to add to the score and how steep to make it.  The direction stays as it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from .score import Score
from .trainer import Answer

LEAST_BINS, MOST_BINS = 4, 16
STEEPEST = 20.0
TURNS = 50
CURVATURE = 0.2
"""Of the logistic loss, on average, where labels are neither sure nor a toss."""

PRIOR = 0.3
"""How far the line may be from the prior, in intercept and slope: one standard deviation."""


def edges_of(middle: float, spread: float, effective: float) -> list[float]:
    """Return where the bins of a curve meet: the more there are, the more of the tails they show.

    Noise adds up over bins, and wide ones blur: with so many devices' worth of answers without
    noise, both are least for a number of bins that grows with its fifth root.

    >>> edges_of(0.0, 1.0, effective=1000), len(edges_of(0.0, 1.0, effective=1e6))
    ([-1.0, 0.0, 1.0], 15)
    """
    wanted = 2 ** round(np.log2(max(effective, 1.0)) / 5 + 0.5)
    bins = min(max(wanted, LEAST_BINS), MOST_BINS)
    reach = (1.25 * np.log2(bins) - 1.5) * max(spread, 1e-6)
    return [float(edge) for edge in middle + np.linspace(-reach, reach, bins - 1)]


@dataclass(frozen=True)
class Line:
    """Log-odds that grow with a score: nought where it is `even`, and so `steep`."""

    even: float
    steep: float

    def of(self, score: Score) -> Score:
        return score.shifted(-self.even).times(self.steep)

    def surplus(self, at: Floats) -> Floats:
        """Return the chance of label 1 less that of label -1, at these scores."""
        return np.tanh(self.steep * (at - self.even) / 2)


def log_odds(score: Score, mean: float, edges: list[float], curve: Answer, prior: Score) -> Line:
    """Return how log-odds go with the score.

    `mean` is the label's, which is known better than the curve tells it.  `prior` is what the
    result would be without the curve; the noise of the curve decides how far it is followed.
    """
    noise = float(np.mean(curve.variance))
    step = edges[1] - edges[0]
    middles = np.append(np.array(edges) - step / 2, edges[-1] + step / 2)
    centre, unit = float(middles.mean()), float(middles.std())
    intercept, slope = _line_of(score, prior, centre, unit)
    if np.isfinite(noise):
        counts = curve.estimates.reshape(-1, 2)
        z = (middles - centre) / unit
        seen = np.array([(1 + mean) / 2, z @ counts[:, 1]])
        start = np.array([intercept, slope])
        intercept, slope = logistic_line(z, plausible_counts(counts), seen, start, noise)
    return Line(centre - intercept * unit / slope, slope / unit)


def edges_near(line: Line, edges: list[float]) -> list[float]:
    """Return where the bins of a surplus meet: a closer look at where the odds are even."""
    reach = 2 * (edges[1] - edges[0])
    return [float(edge) for edge in line.even + np.linspace(-reach, reach, MOST_BINS - 1)]


def masses(edges: list[float], curve: Answer, near: list[float]) -> Floats:
    """Return what share of the devices is between each two of other edges, if a curve is right."""
    step = edges[1] - edges[0]
    ends = [edges[0] - step, *edges, edges[-1] + step]
    below = np.cumsum(np.append(0.0, plausible_counts(curve.estimates.reshape(-1, 2))))
    return np.diff(np.interp(near, ends, below))


def tipped(line: Line, edges: list[float], surplus: Answer, mean: float, total: Floats) -> Line:
    """Return the line moved to the edge that parts the labels best, if it does better there.

    In every bin the line says how many more labels are positive than negative, and so does the
    surplus, with noise.  The line is right as far as it fits, give or take what chance does.
    Nobody is asked for the sum over all bins, which is the label's `mean`; between edges are the
    shares `total` of all devices.
    """
    noise = float(np.mean(surplus.variance))
    if not np.isfinite(noise):
        return line
    seen = surplus.estimates + (mean - surplus.estimates.sum()) / len(surplus.estimates)
    seen = seen[1:-1]
    middles = (np.array(edges[1:]) + edges[:-1]) / 2
    fitted = total * line.surplus(middles)
    chance = noise * (1 + 2 * math.sqrt(2 / len(seen)))
    misfit = max(float(np.mean((seen - fitted) ** 2)) - chance, 0.0)
    believed = fitted + misfit / (misfit + noise) * (seen - fitted)
    lost = np.cumsum(np.append(0.0, believed))  # by predicting -1 below each edge
    best = int(np.argmin(lost))
    now = float(np.interp(line.even, edges, lost))
    return Line(edges[best], line.steep) if lost[best] < now and misfit else line


def plausible_counts(counts: Floats) -> Floats:
    """Return how many devices fall in each bin, none of them negative, one in all."""
    total = np.maximum(counts.sum(axis=1), 0.0)
    return total / total.sum() if total.any() else np.full(len(counts), 1 / len(counts))


def logistic_line(
    z: Floats, total: Floats, seen: Floats, start: Floats, noise: float
) -> tuple[float, float]:
    """Return intercept and slope of the logistic line through a curve.

    The optimum of the logistic loss depends on the positive labels through two sums only, which
    noise leaves unbiased: `seen`, their share and the sum of their z.  `start` is the prior,
    `noise` the variance of each bin.

    >>> z, total = np.linspace(-2, 2, 16), np.full(16, 1 / 16)
    >>> chance = total / (1 + np.exp(-(0.5 + 2 * z)))
    >>> seen = np.array([chance.sum(), z @ chance])
    >>> [round(one, 3) for one in logistic_line(z, total, seen, np.zeros(2), 0.0)]
    [0.5, 2.0]
    """
    design = np.column_stack([np.ones_like(z), z])
    doubt = len(z) * noise / CURVATURE / PRIOR**2
    line = start.astype(np.float64)
    for _ in range(TURNS):
        fitted = 1 / (1 + np.exp(-np.clip(design @ line, -500, 500)))
        slope = design.T @ (total * fitted) - seen + doubt * (line - start)
        weight = total * fitted * (1 - fitted)
        hessian = design.T @ (design * weight[:, None]) + (doubt + 1e-6) * np.eye(2)
        change = np.clip(np.linalg.solve(hessian, slope), -1, 1)
        line = np.clip(line - change, [-STEEPEST, 1e-3], STEEPEST)
        if np.abs(change).max() < 1e-9:
            break
    return float(line[0]), float(line[1])


def _line_of(score: Score, prior: Score, centre: float, unit: float) -> tuple[float, float]:
    """Return intercept and slope of the prior as a function of the standardised score."""
    ours, theirs = np.concatenate(score.blocks), np.concatenate(prior.blocks)
    slope = float(ours @ theirs / (ours @ ours))
    return prior.intercept + slope * (centre - score.intercept), slope * unit
