"""Numbers in words: none is taken for another."""

from __future__ import annotations

import numpy as np
import pytest

import harmony as hm
from harmony.numerals import numerals


@pytest.mark.parametrize(
    "edges",
    [
        (20240101.0, 20240102.0, 20240103.0, 20241231.0),
        (1.7e9, 1.7e9 + 1, 1.7e9 + 2),
        (1 + 1e-9, 1 + 2e-9, 1 + 3e-9),
        (-1e300, 0.0, 1e-300, 1e300),
        (1e16, 1e16 + 2, 1e16 + 4),
    ],
)
def test_edges_are_told_apart(edges: tuple[float, ...]) -> None:
    written = numerals(edges)
    assert len(set(written)) == len(edges)
    values = hm.Numeric("day", edges[0], edges[-1], bins=edges).values
    assert len(set(values)) == len(edges) - 1


def test_bins_of_dates_keep_their_estimates() -> None:
    """As it was found: bins that were written alike took each other's place."""
    day = hm.Numeric("day", 20240101, 20240104, bins=3)
    survey = hm.Survey("s", [day], epsilon=8.0)
    people = {"day": np.repeat([20240101, 20240102, 20240103], [100, 200, 700])}
    found = survey.estimate(survey.collect(people, seed=1)).histogram("day").frequencies
    assert list(found) == ["[20240101, 20240102)", "[20240102, 20240103)", "[20240103, 20240104]"]
    assert list(found.values()) == pytest.approx([0.1, 0.2, 0.7], abs=0.03)


def test_few_digits_stay_few() -> None:
    assert hm.Numeric("x", 0, 100, bins=3).values == (
        "[0, 33.3333)",
        "[33.3333, 66.6667)",
        "[66.6667, 100]",
    )
