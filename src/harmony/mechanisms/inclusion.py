"""How likely the coin asks each attribute, where a report answers several.

The coin draws attributes one after the other, each with a chance in proportion to its weight among
those left.  That is the order in which independent exponential clocks ring whose rates are the
weights, so an attribute is among the first m if fewer than m others ring before it:

    chance_i = integral of w_i exp(-w_i t) P(fewer than m others have rung by t) dt
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ..arrays import Floats

PANELS, NODES = 20, 16
"""Gauss-Legendre panels over the logarithm of time, and nodes in each: errors below 1e-11."""

NEGLIGIBLE = 1e-16

EARLY, LATE = 1e-13, 40.0
"""From when the fastest clock has rung with this chance, until the slowest has, e^-40 apart."""


def inclusion_chances(weights: Sequence[int], answers: int) -> list[float]:
    """Return each attribute's chance to be among the `answers` that a device is asked.

    >>> inclusion_chances([1, 3], 1), [round(one, 4) for one in inclusion_chances([2, 1, 1], 2)]
    ([0.25, 0.75], [0.8333, 0.5833, 0.5833])
    """
    return list(_chances(tuple(weights), answers))


@lru_cache(maxsize=256)
def _chances(weights: tuple[int, ...], answers: int) -> tuple[float, ...]:
    rates = np.array(weights, np.float64) / sum(weights)
    if answers == 1:
        return tuple(rates.tolist())
    if answers == len(weights) or len(set(weights)) == 1:
        return (answers / len(weights),) * len(weights)
    edges = np.linspace(np.log(EARLY / rates.max()), np.log(LATE / rates.min()), PANELS + 1)
    points, shares = np.polynomial.legendre.leggauss(NODES)
    total = np.zeros(len(rates))
    for low, high in itertools.pairwise(edges):
        times = np.exp((low + high) / 2 + (high - low) / 2 * points)
        for time, share in zip(times, shares * (high - low) / 2, strict=True):
            density = rates * time * np.exp(-rates * time)
            total += share * density * _few_others(-np.expm1(-rates * time), answers)
    return tuple((total * (answers / total.sum())).tolist())


def _few_others(rung: Floats, answers: int) -> Floats:
    """Return, for each clock, the chance that fewer than `answers` of the others have rung."""
    together = _number_rung(rung[:, None], answers)
    fewer = np.zeros(len(rung))
    if together.sum() < NEGLIGIBLE:  # no clock's share of the integral can be greater
        return fewer
    # Taking one clock out of the product is stable while it has probably not rung yet.
    out = rung <= 0.5
    left = np.zeros(int(out.sum()))
    for count in range(answers):
        left = (together[count] - rung[out] * left) / (1 - rung[out])
        fewer[out] += left
    for place in np.flatnonzero(~out).tolist():
        fewer[place] = _number_rung(np.delete(rung, place)[:, None], answers).sum()
    return fewer


def _number_rung(rung: Floats, most: int) -> Floats:
    """Return the chances that 0, 1, ... most - 1 of the clocks have rung."""
    factors = np.concatenate([1 - rung, rung], axis=1)[:, :most]
    while len(factors) > 1:
        if len(factors) % 2:
            one = np.zeros((1, factors.shape[1]))
            one[0, 0] = 1.0
            factors = np.concatenate([factors, one])
        left, right = factors[::2], factors[1::2]
        size = min(most, 2 * factors.shape[1] - 1)
        product = np.zeros((len(left), size))
        for place in range(left.shape[1]):
            width = min(right.shape[1], size - place)
            product[:, place : place + width] += left[:, place : place + 1] * right[:, :width]
        factors = product
    found = np.zeros(most)
    found[: factors.shape[1]] = factors[0]
    return found
