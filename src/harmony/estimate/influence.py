"""How far dishonest devices can move an estimate, wherever they sit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from .hierarchy import Places

LOOKED_AT = 16
"""Estimates of one question for which influence is worked out, at most: it differs little."""


@dataclass(frozen=True)
class Group:
    """The devices of one tier: how many, how much they count, what they are thought to say."""

    devices: int
    weight: float
    estimates: Floats
    extremes: tuple[float | Floats, float | Floats]


def fill_groups(each: Floats, sizes: Floats, liars: float) -> Floats:
    """Return how far so many devices can move each estimate, if they sit where they move most.

    A device of group g moves estimate v by each[g, v].

    >>> fill_groups(np.array([[0.1], [0.5]]), np.array([90.0, 4.0]), 10).tolist()
    [2.6]
    """
    order = np.argsort(-each, axis=0)
    filled = np.take_along_axis(np.broadcast_to(sizes[:, None], each.shape), order, axis=0)
    before = np.cumsum(filled, axis=0) - filled
    used = np.clip(liars - before, 0.0, filled)
    return np.asarray((np.take_along_axis(each, order, axis=0) * used).sum(axis=0))


def largest_influence(groups: Sequence[Group], liars: float) -> float:
    """Return how far so many dishonest devices can move any one of the estimates.

    Each of them says, instead of what its group says, the most extreme thing that a report can.
    Coins decide what it is asked, so on average it moves its group's estimate by one device's
    share of that.  The worst they can do is to fill the groups in which a device moves most.

    >>> few = Group(10, 0.5, np.array([0.4]), (-1.0, 2.0))
    >>> many = Group(990, 0.5, np.array([0.4]), (-1.0, 2.0))
    >>> round(largest_influence([few, many], liars=10), 3)
    0.8
    """
    sizes = np.array([group.devices for group in groups], np.float64)
    weights = np.array([group.weight for group in groups])
    most = 0.0
    for up in (False, True):
        moves = np.stack([np.abs(group.extremes[up] - group.estimates) for group in groups])
        each = weights[:, None] * moves / sizes[:, None]
        most = max(most, float(fill_groups(each, sizes, liars).max()))
    return most


def extreme_places(estimates: Floats) -> Places:
    """Return where the lowest and the highest estimates are: those can be moved furthest.

    >>> extreme_places(np.array([0.3, 0.5, 0.2])).tolist()
    [0, 1, 2]
    """
    order = np.argsort(estimates)
    return np.unique(np.concatenate([order[: LOOKED_AT // 2], order[-LOOKED_AT // 2 :]]))


def spread_places(leaves: int) -> Places:
    """Return some of the edges of so many bins, spread so that few are those of larger bins.

    >>> spread_places(256)[:4].tolist()
    [0, 15, 30, 45]
    """
    return np.unique(np.linspace(0, leaves, LOOKED_AT + 2).astype(np.intp))[:-1]
