"""How a device's own values become answers, at the edges of what an attribute takes."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from harmony_device import AnswerError, RefusedError, Survey

from .conftest import small_survey

BATTERY, WIFI, AGE = range(3)


def survey_with(place: int, **changes: Any) -> Survey:
    """Return the small survey with one of its attributes changed."""
    document = small_survey()
    document["attributes"][place] |= changes
    return Survey(document)


@pytest.mark.parametrize(
    ("place", "changes"),
    [
        (BATTERY, {"missing": 0}),
        (BATTERY, {"missing": 100}),
        (BATTERY, {"low": -(2**1000), "high": 2**1000}),
        (AGE, {"missing": 90}),
        (AGE, {"missing": 0.0}),
        (WIFI, {"values": ["on", "off"], "missing": "off"}),
        (WIFI, {"values": [1, 2], "missing": 1}),
    ],
)
def test_what_is_just_within_is_taken(place: int, changes: dict[str, Any]) -> None:
    assert survey_with(place, **changes).name == "small"


@pytest.mark.parametrize(
    ("place", "changes", "said"),
    [
        (BATTERY, {"low": 100}, "'low' must be below 'high'"),
        (BATTERY, {"low": 2**1000 + 1, "high": 1e308}, "'low' must be a finite number"),
        (BATTERY, {"low": 10**400}, "'low' must be a finite number"),
        (BATTERY, {"low": -(10**400)}, "'low' must be a finite number"),
        (BATTERY, {"low": True}, "'low' must be a finite number"),
        (BATTERY, {"low": float("nan")}, "'low' must be a finite number"),
        (BATTERY, {"high": float("inf")}, "'high' must be a finite number"),
        (BATTERY, {"low": -1e308, "high": 1e308}, "'high' - 'low' is too large"),
        (BATTERY, {"missing": 100.5}, "'missing' must lie between"),
        (BATTERY, {"missing": -0.5}, "'missing' must lie between"),
        (BATTERY, {"missing": "50"}, "'missing' must be a finite number"),
        (BATTERY, {"name": " \t"}, "'name' must be a text"),
        (BATTERY, {"name": 7}, "'name' must be a text"),
        (AGE, {"bins": {"0": 0, "1": 50, "2": 90}}, "'bins' must list"),
        (AGE, {"bins": "0 50 90"}, "'bins' must list"),
        (AGE, {"bins": [0, 50, 50, 90]}, "rising order"),
        (AGE, {"bins": [1, 50, 90]}, "start at 'low'"),
        (AGE, {"bins": [0, 50, 91]}, "start at 'low'"),
        (AGE, {"bins": [0, None, 90]}, "'bins' must be a finite number"),
        (WIFI, {"values": {"on": 1, "off": 2}}, "'values' must list"),
        (WIFI, {"values": ["on", 1]}, "all text, all integers or all booleans"),
        (WIFI, {"values": [1, "on"]}, "all text, all integers or all booleans"),
        (WIFI, {"values": [1.5, 2.5]}, "all text, all integers or all booleans"),
        (WIFI, {"values": [[1], [2]]}, "all text, all integers or all booleans"),
        (WIFI, {"values": [True, False, True]}, "the same value twice"),
        (WIFI, {"values": [1, 2], "missing": True}, "'missing' must be one of"),
        (WIFI, {"values": [0, 1], "missing": 1.0}, "'missing' must be one of"),
        (WIFI, {"values": ["1", "2"], "missing": 1}, "'missing' must be one of"),
        (WIFI, {"values": [False, True], "missing": "True"}, "'missing' must be one of"),
    ],
)
def test_what_is_just_beyond_is_refused(place: int, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(RefusedError, match=rf"^attributes\[{place}\]: .*{said}"):
        survey_with(place, **changes)


def digits(number: int) -> dict[str, Any]:
    """Return a mechanism for up to 2 ** number values."""
    mechanism = copy.deepcopy(small_survey()["attributes"][WIFI]["mechanisms"][0])
    return {**mechanism, "digits": number}


class Index(int):
    """An integer of another type."""


class Word(str):
    """Text of another type, which calls itself something else."""

    __slots__ = ()

    def __str__(self) -> str:
        return "on"


@pytest.mark.parametrize(
    ("values", "value", "place"),
    [
        (["on", "off"], "off", 1),
        (["on", "off"], Word("off"), 1),
        ([3, 1, 2], 2, 2),
        ([3, 1, 2], Index(1), 1),
        ([True, False], False, 1),
    ],
)
def test_a_value_is_found_by_what_it_is(values: list[Any], value: Any, place: int) -> None:
    survey = survey_with(WIFI, values=values, mechanisms=[digits(2)])
    assert survey.attributes[WIFI].read(value) == place


@pytest.mark.parametrize(
    ("values", "value"),
    [
        (["on", "off"], "OFF"),
        (["on", "off"], b"off"),
        (["1", "2"], 1),
        ([0, 1], True),
        ([0, 1], 1.0),
        ([0, 1], "1"),
        ([0, 1], 2),
        ([False, True], 1),
        ([False, True], "True"),
    ],
)
def test_a_value_of_another_kind_is_not_one_of_them(values: list[Any], value: Any) -> None:
    survey = survey_with(WIFI, values=values)
    with pytest.raises(AnswerError, match="not one of the survey's 'values'"):
        survey.attributes[WIFI].read(value)


@pytest.mark.parametrize(
    ("value", "bin_"), [(-5, 0), (17.999, 0), (18, 1), (64.5, 1), (65, 2), (90, 2), (1e9, 2)]
)
def test_a_number_falls_into_the_bin_that_begins_at_or_below_it(value: float, bin_: int) -> None:
    assert Survey(small_survey()).attributes[AGE].read(value) == bin_


@pytest.mark.parametrize("value", [-1, 3, 7, 8, 1.0, True, None, "0"])
def test_a_level_with_a_sign_is_a_number_that_a_step_computes(value: Any) -> None:
    """Three levels, so that 0 to 2 are positive and 4 to 6 negative."""
    signed = survey_with(
        WIFI, kind="signed", values=["a", "b", "c"], mechanisms=[{**digits(3), "signed": True}]
    ).attributes[WIFI]
    assert [signed.read(level) for level in (0, 1, 2, 4, 5, 6)] == [0, 1, 2, 4, 5, 6]
    with pytest.raises(AnswerError, match="wifi: the value is not a level with a sign"):
        signed.read(value)


def test_no_number_below_zero_is_a_level() -> None:
    """Two levels fill their power of two: -1 modulo it would be one of them."""
    mechanism = {**digits(2), "signed": True}
    signed = survey_with(WIFI, kind="signed", mechanisms=[mechanism]).attributes[WIFI]
    assert [signed.read(level) for level in range(4)] == [0, 1, 2, 3]
    with pytest.raises(AnswerError):
        signed.read(-1)


def test_a_range_that_is_a_single_step_wide_is_a_range() -> None:
    survey = survey_with(BATTERY, low=0.0, high=5e-324)
    assert [survey.attributes[BATTERY].read(value) for value in (-1, 0.0, 1)] == [0.0, 0.0, 5e-324]
