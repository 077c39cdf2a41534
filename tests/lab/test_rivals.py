"""The rivals that crosstabs are compared with find the tables that they should."""

from __future__ import annotations

import numpy as np
import pytest

from harmony.lab.rivals import fourier_tables

PEOPLE = np.random.default_rng(3).integers(0, 4, (40_000, 3))
PEOPLE[:, 1] = np.where(PEOPLE[:, 2] > 1, PEOPLE[:, 0], PEOPLE[:, 1])


@pytest.mark.parametrize("values", [3, 4])
def test_fourier_coefficients_make_the_tables(values: int) -> None:
    """Without noise to speak of 45 coefficients, of 890 devices each, are off by 0.034.

    A cell is off by 0.008 then, as a sixteenth of 15 of them; six standard errors.
    """
    people = np.minimum(PEOPLE, values - 1)
    found = fourier_tables(people, values, epsilon=20.0, seed=1)
    for first, second in ((0, 1), (0, 2), (1, 2)):
        truth = np.bincount(people[:, first] * values + people[:, second], minlength=values**2)
        assert found[first, second].ravel() == pytest.approx(truth / 40_000, abs=0.05)
        assert found[first, second].sum() == pytest.approx(1)


def test_fourier_errors_are_those_of_randomised_response() -> None:
    """Unrelated bits have coefficients of zero: what is found is noise, of a known size."""
    people = np.arange(40_000)[:, None] >> np.arange(2) & 1
    off = [fourier_tables(people, 2, 1.0, seed)[0, 1] - 0.25 for seed in range(100)]
    # Three coefficients of 13,333 devices each, over four; 100 runs of four cells: 5% off or so.
    expected = np.sqrt(3 / 13_333) / np.tanh(0.5) / 4
    assert np.sqrt(np.mean(np.square(off))) == pytest.approx(expected, rel=0.25)
