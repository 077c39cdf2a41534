"""Covers: joint tables of all pairs from views of several attributes (after Zhang et al. 2018).

Every device answers one view, the joint value of a few attributes.  The views are chosen so that
each pair of attributes is in at least one; a pair's table is the average over the views that it is
in, made consistent with the others.  Views of two attributes are the pairs themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

import harmony as hm

from ...arrays import Counts, Floats
from ...estimate.consistency import project_to_simplex

TRIES = 200


def best_cover(attributes: int, size: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Return few views of so many attributes each that have every pair of attributes.

    >>> len(best_cover(10, 2, np.random.default_rng(1)))
    45
    """
    best: list[tuple[int, ...]] = []
    for _ in range(1 if size == 2 else TRIES):
        left = set(combinations(range(attributes), 2))
        views: list[tuple[int, ...]] = []
        while left and (not best or len(views) < len(best)):
            candidates = (
                [tuple(sorted(rng.choice(attributes, size, replace=False))) for _ in range(60)]
                if size > 2
                else [next(iter(left))]
            )
            view = max(candidates, key=lambda one: len(left & set(combinations(one, 2))))
            left -= set(combinations(view, 2))
            views.append(tuple(int(one) for one in view))
        if not left and (not best or len(views) < len(best)):
            best = views
    return best


def joint_tables(
    people: Counts, values: int, views: Sequence[tuple[int, ...]], epsilon: float, seed: int
) -> dict[tuple[int, int], Floats]:
    """Return the table of each pair of columns of `people`, all with values 0 to `values` - 1."""
    columns = {
        f"view {place}": np.ravel_multi_index(people[:, view].T, (values,) * len(view))
        for place, view in enumerate(views)
    }
    asked = [
        hm.Integer(name, 0, values ** len(view) - 1)
        for name, view in zip(columns, views, strict=True)
    ]
    survey = hm.Survey("views", asked, epsilon, answers=1, balance=False)
    result = survey.estimate(survey.collect(columns, seed=seed))
    sums: dict[tuple[int, int], list[Floats]] = {}
    for name, view in zip(columns, views, strict=True):
        cube = result.histogram(name).raw.reshape((values,) * len(view))
        for first, second in combinations(range(len(view)), 2):
            others = tuple(axis for axis in range(len(view)) if axis not in (first, second))
            sums.setdefault((view[first], view[second]), []).append(cube.sum(axis=others))
    return _consistent({pair: np.mean(found, axis=0) for pair, found in sums.items()}, values)


def _consistent(
    tables: dict[tuple[int, int], Floats], values: int
) -> dict[tuple[int, int], Floats]:
    """Return tables that agree on each attribute, without negative shares."""
    margins: dict[int, list[Floats]] = {}
    for (first, second), table in tables.items():
        margins.setdefault(first, []).append(table.sum(axis=1))
        margins.setdefault(second, []).append(table.sum(axis=0))
    known = {one: np.mean(found, axis=0) for one, found in margins.items()}
    found = {}
    for (first, second), table in tables.items():
        moved = table + (known[first] - table.sum(axis=1))[:, None] / values
        moved = moved + (known[second] - moved.sum(axis=0))[None, :] / values
        found[first, second] = project_to_simplex(moved.ravel()).reshape(table.shape)
    return found
