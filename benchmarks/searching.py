"""The most that reports can tell, by a search over questions: sharper than what is proved.

`information` bounds the trace of the information, and asks as if the best direction were the only
one.  Here every direction has to be learned: with J = V⁻¹ + n I, where V is the mean square of the
effects, the error is at least the least tr J⁻¹ over all means I of k² g gᵀ / (A B).  That is
convex: at any J, with W = J⁻², it is at least tr J⁻¹ - n (max gᵀ W g k² / (A B) - tr W I).
Only the maximum, over questions h, is found by climbing from many starts, so it is not proved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from .information import Floats, Scores

STARTS, CLIMBS, ROUNDS, KEPT = 12, 10, 12, 8


@dataclass(frozen=True, eq=False)
class Questions:
    """The mean scores g of those who say yes, a row each, and A B / k²."""

    means: Floats
    costs: Floats

    def __add__(self, other: Questions) -> Questions:
        costs = np.concatenate([self.costs, other.costs])
        return Questions(np.vstack([self.means, other.means]), costs)

    def told(self, root: Floats) -> Floats:
        """Return gᵀ W g k² / (A B) for W = rootᵀ root."""
        return np.asarray(np.sum((self.means @ root.T) ** 2, axis=1) / self.costs, np.float64)


def climbed(
    scores: Scores, density: Floats, epsilon: float, root: Floats, starts: Floats
) -> Questions:
    """Return questions that tell much of root @ effects: one for each start, and one with all of
    the first class saying yes at first.

    Who says yes is, in each step, who makes the linearised 2 log |root g| - log A - log B larger.
    """
    k = math.expm1(epsilon)
    values = scores.values.astype(np.float32)
    weighted = np.column_stack([scores.values, np.ones(len(values)), density])
    weighted = (weighted * scores.chances[:, None]).astype(np.float32)
    tilt = density.astype(np.float32)[:, None]
    yes = (values @ starts.astype(np.float32)) > 0
    yes = np.hstack([yes, yes | ~scores.second[:, None]])
    for _ in range(CLIMBS):
        sums = (weighted.T @ yes.astype(np.float32)).astype(np.float64)
        means, a, b = sums[:-2], 1 + k * sums[-2], 1 + k * sums[-1]
        steep = root.T @ (root @ means)
        told = np.maximum(np.sum(means * steep, axis=0), 1e-300)
        slopes = (2 * steep / told).astype(np.float32)
        yes = values @ slopes > (k / a).astype(np.float32) + (k / b).astype(np.float32) * tilt
    sums = (weighted.T @ yes.astype(np.float32)).astype(np.float64)
    costs = (1 + k * sums[-2]) * (1 + k * sums[-1]) / k**2
    return Questions(sums[:-2].T, costs)


def starts(count: int, seed: int = 1) -> Floats:
    """Return directions to start from: both ways along every coordinate, and some others."""
    some = np.random.default_rng(seed).normal(size=(count, STARTS))
    return np.hstack([np.eye(count), -np.eye(count), some])


@cache
def best_share(scores: Scores, epsilon: float) -> float:
    """Return the share of L on the second class that bounds the trace best."""
    count = scores.values.shape[1]
    begin = starts(count)[:, : 2 * count + 4]
    traces = {
        share: climbed(scores, scores.tilted(share), epsilon, np.eye(count), begin)
        .told(np.eye(count))
        .max()
        for share in scores.shares(epsilon)
    }
    return min(traces, key=lambda share: float(traces[share]))


def trace(scores: Scores, epsilon: float) -> float:
    """Return T as the search finds it, with the best L."""
    count, density = scores.values.shape[1], scores.tilted(best_share(scores, epsilon))
    found = climbed(scores, density, epsilon, np.eye(count), starts(count))
    return float(found.told(np.eye(count)).max())


def least_error(scores: Scores, sizes: Floats, devices: int, epsilon: float) -> float:
    """Return what no mean |estimate - effects|² is below; `sizes` is V."""
    density, count = scores.tilted(best_share(scores, epsilon)), len(sizes)
    known = np.asarray(np.linalg.inv(sizes), np.float64)
    begin = starts(count)
    asked = climbed(scores, density, epsilon, np.eye(count), begin)
    weights = np.full(len(asked.costs), 1 / len(asked.costs))
    least = 0.0
    for _ in range(ROUNDS):
        weights = _weighed(asked, weights, known, devices)
        error, root, told = _error(asked, weights, known, devices)
        found = climbed(scores, density, epsilon, root, begin)
        most = found.told(root)
        lacking = devices * (max(float(most.max()), float(told.max())) - float(weights @ told))
        least = max(least, error - lacking)
        if lacking < 0.005 * error:
            break
        best = np.argsort(most)[-KEPT:]
        asked += Questions(found.means[best], found.costs[best])
        weights = np.concatenate([0.9 * weights, np.full(KEPT, 0.1 / KEPT)])
    return least


def _error(
    asked: Questions, weights: Floats, known: Floats, devices: int
) -> tuple[float, Floats, Floats]:
    """Return tr J⁻¹, J⁻¹, and what each question tells under W = J⁻²."""
    information = (asked.means * (weights / asked.costs)[:, None]).T @ asked.means
    inverse = np.asarray(np.linalg.inv(known + devices * information), np.float64)
    return float(np.trace(inverse)), inverse, asked.told(inverse)


def _weighed(asked: Questions, weights: Floats, known: Floats, devices: int) -> Floats:
    """Return better weights: the multiplicative algorithm of optimal design."""
    for _ in range(300):
        _, _, told = _error(asked, weights, known, devices)
        weights = weights * np.sqrt(told)
        weights = weights / weights.sum()
    return weights
