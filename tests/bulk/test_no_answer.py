"""What people without an answer do to an estimate: exactly what docs/protocol.md makes of them.

Every estimate lies within five of its standard errors of what it should be; of the 28 that are
looked at, one does not in fewer than 2 of 100,000 seeds, of which one is fixed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import harmony as hm

N = 400_000
CITIES = ["Ulm", "Köln", "other", "none"]
EDGES = [0, 20, 50, 100]
ERRORS = 5


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    """People of whom 15% are in a city that is not listed and 10% tell none; and so on."""
    rng = np.random.default_rng(15)
    city = rng.choice([*CITIES, "Bonn", ""], N, p=[0.4, 0.25, 0.05, 0.05, 0.15, 0.1])
    level = rng.beta(2, 6, N) * 100
    level[rng.random(N) < 0.2] = np.nan
    level[rng.random(N) < 0.05] = np.inf
    cards = rng.choice([0, 1, 2, 3, 7], N, p=[0.1, 0.5, 0.15, 0.05, 0.2]).astype(float)
    cards[rng.random(N) < 0.1] = np.nan
    return {
        "city": pa.array(city.tolist(), mask=city == ""),
        "level": level,
        "bins": level,
        "cards": cards,
        "wifi": pa.array(rng.random(N) < 0.8, mask=rng.random(N) < 0.3),
    }


def estimates(table: dict[str, Any], named: bool) -> hm.Result:
    """Collect as devices do, with stand-ins for what is missing and unlisted or without."""

    def stand_ins(**given: Any) -> dict[str, Any]:
        return given if named else {}

    attributes = [
        hm.Categorical("city", CITIES, **stand_ins(missing="none", unlisted="other")),
        hm.Numeric("level", 0, 100, **stand_ins(missing=10)),
        hm.Numeric("bins", 0, 100, bins=EDGES, **stand_ins(missing=10)),
        hm.Integer("cards", 0, 3, **stand_ins(missing=0, unlisted=3)),
        hm.Boolean("wifi", **stand_ins(missing=False)),
    ]
    survey = hm.Survey("people", attributes, epsilon=2.0)
    return survey.estimate(survey.collect(table, seed=4, as_devices=True))


def shares(values: Any, listed: list[Any]) -> np.ndarray:
    """How many of all people have each listed value."""
    return np.array([np.mean(np.asarray(values) == one) for one in listed])


def truth(table: dict[str, Any]) -> dict[str, tuple[np.ndarray, float, float]]:
    """For each histogram: the listed values' shares, the unlisted ones' and the missing ones'."""
    city = np.array([one or "" for one in table["city"].to_pylist()])
    finite = np.isfinite(table["bins"])
    bins = np.histogram(table["bins"][finite], EDGES)[0] / N
    wifi = np.array([-1 if one is None else int(one) for one in table["wifi"].to_pylist()])
    cards = table["cards"]
    return {
        "city": (shares(city, CITIES), np.mean(city == "Bonn"), np.mean(city == "")),
        "bins": (bins, 0.0, np.mean(~finite)),
        "cards": (shares(cards, [0, 1, 2, 3]), np.mean(cards == 7), np.mean(np.isnan(cards))),
        "wifi": (shares(wifi, [0, 1]), 0.0, np.mean(wifi < 0)),
    }


def test_named_stand_ins_count_those_people_too(table: dict[str, Any]) -> None:
    result = estimates(table, named=True)
    places = {"city": (2, 3), "bins": (0, 0), "cards": (3, 0), "wifi": (0, 0)}
    for name, (listed, unlisted, missing) in truth(table).items():
        expected, (other, none) = listed.copy(), places[name]
        expected[other] += unlisted
        expected[none] += missing
        assert_close([*result[name].frequencies.values()], expected, result[name].errors)
    level = np.where(np.isfinite(table["level"]), table["level"], 10)
    assert_close(result["level"].mean, level.mean(), result["level"].stderr)


def test_without_stand_ins_they_count_for_all_values_alike(table: dict[str, Any]) -> None:
    """A frequency is p (1 - m) + m / k, and a mean is pulled toward the middle of its range."""
    result = estimates(table, named=False)
    for name, (listed, unlisted, missing) in truth(table).items():
        none = unlisted + missing
        among_others = listed / (1 - none)
        expected = among_others * (1 - none) + none / len(listed)
        assert_close([*result[name].frequencies.values()], expected, result[name].errors)
        assert np.abs(expected - among_others).max() > 2 * ERRORS * result[name].errors.max()
    finite = np.isfinite(table["level"])
    told, none = table["level"][finite].mean(), 1 - finite.mean()
    assert_close(result["level"].mean, told * (1 - none) + 50 * none, result["level"].stderr)


def assert_close(found: Any, expected: Any, stderr: Any) -> None:
    assert np.max(np.abs(np.asarray(found) - expected) / stderr) < ERRORS
