"""How a device's own values become answers, at the edges of what an attribute takes."""

from __future__ import annotations

import copy
import math
from fractions import Fraction
from numbers import Real
from typing import Any

import pytest

from harmony_device import RefusedError, Survey
from harmony_device.attributes import NO_VALUE, NOT_LISTED

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
        (BATTERY, {"low": 2**1000 + 1, "high": 1e308}),
        (AGE, {"missing": 90}),
        (AGE, {"missing": 0.0}),
        (WIFI, {"values": ["on", "off"], "missing": "off"}),
        (WIFI, {"values": [1, 2], "missing": 1}),
        (WIFI, {"values": [0, 1], "missing": 1.0}),
        (WIFI, {"values": [0, 1], "unlisted": 1.0}),
        (WIFI, {"values": [0.0, 1e0]}),
        (WIFI, {"values": [1 - 2**53, 2**53 - 1]}),
        (WIFI, {"values": ["\ud7ff", "\ue000"]}),
        (BATTERY, {"name": " \t"}),
        (BATTERY, {"missing": None, "unlisted": None}),
    ],
)
def test_what_is_just_within_is_taken(place: int, changes: dict[str, Any]) -> None:
    assert survey_with(place, **changes).name == "small"


@pytest.mark.parametrize(
    ("place", "changes", "said"),
    [
        (BATTERY, {"low": 100}, "'low' must be below 'high'"),
        (BATTERY, {"low": 10**400}, "'low' must be a finite number"),
        (BATTERY, {"low": -(10**400)}, "'low' must be a finite number"),
        (BATTERY, {"low": True}, "'low' must be a finite number"),
        (BATTERY, {"low": float("nan")}, "'low' must be a finite number"),
        (BATTERY, {"high": float("inf")}, "'high' must be a finite number"),
        (BATTERY, {"low": -1e308, "high": 1e308}, "'high' - 'low' is too large"),
        (BATTERY, {"missing": 100.5}, "'missing' must lie between"),
        (BATTERY, {"missing": -0.5}, "'missing' must lie between"),
        (BATTERY, {"missing": "50"}, "'missing' must be a finite number"),
        (BATTERY, {"name": ""}, "'name' must be a text"),
        (BATTERY, {"unlisted": 50}, "'unlisted' has no meaning for a number"),
        (AGE, {"unlisted": 50}, "'unlisted' has no meaning for a number"),
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
        (WIFI, {"values": [0, 1], "missing": 1.5}, "'missing' must be one of"),
        (WIFI, {"values": [0, 1], "unlisted": 2}, "'unlisted' must be one of"),
        (WIFI, {"values": ["a", "b"], "unlisted": "c"}, "'unlisted' must be one of"),
        (WIFI, {"values": [0, 2**53]}, "all text, all integers or all booleans"),
        (WIFI, {"values": [0, -(2**53)]}, "all text, all integers or all booleans"),
        (WIFI, {"values": ["a", "\ud800"]}, "half of a surrogate pair"),
        (BATTERY, {"name": "\udbff"}, "'name' must be a text"),
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
        (["on", "off"], "\ud800"),
        ([0, 1], 2),
        ([0, 1], 0.5),
        ([0, 1], -1),
        ([0, 1], 1e300),
    ],
)
def test_a_value_of_the_right_type_that_is_not_listed(values: list[Any], value: Any) -> None:
    assert_stands_in(values, value, "unlisted", NOT_LISTED)


@pytest.mark.parametrize(
    ("values", "value", "kind"),
    [
        (["on", "off"], b"off", "text"),
        (["1", "2"], 1, "text"),
        (["1", "2"], None, "text"),
        ([0, 1], True, "number"),
        ([0, 1], "1", "number"),
        ([0, 1], float("nan"), "number"),
        ([0, 1], float("inf"), "number"),
        ([0, 1], 10**400, "number"),
        ([0, 1], [0], "number"),
        ([False, True], 1, "boolean"),
        ([False, True], "True", "boolean"),
        ([False, True], None, "boolean"),
    ],
)
def test_a_value_of_another_type_is_missing(values: list[Any], value: Any, kind: str) -> None:
    assert_stands_in(values, value, "missing", NO_VALUE.format(type=kind))


def assert_stands_in(values: list[Any], value: Any, field: str, warning: str) -> None:
    """Check that just the field of this name, if any, answers for the value."""
    other = {"missing": "unlisted", "unlisted": "missing"}[field]
    for named, place in (
        ({}, None),
        ({field: values[0]}, 0),
        ({field: values[1]}, 1),
        ({other: values[1]}, None),
        ({field: values[0], other: values[1]}, 0),
    ):
        attribute = survey_with(WIFI, values=values, **named).attributes[WIFI]
        assert attribute.read(value) == place
        assert attribute.warning(value) == warning
        assert [attribute.read(one) for one in values] == [0, 1]
        assert [attribute.warning(one) for one in values] == [None, None]


@pytest.mark.parametrize("value", [None, "71", True, float("nan"), float("-inf"), b"", 10**400])
def test_a_number_that_is_none_is_missing(value: Any) -> None:
    """As a number it answers itself, as a bin the bin of what stands for it."""
    for place, named, answer in (
        (BATTERY, {}, None),
        (BATTERY, {"missing": 0}, 0.0),
        (BATTERY, {"missing": 100}, 100.0),
        (AGE, {}, None),
        (AGE, {"missing": 0}, 0),
        (AGE, {"missing": 18}, 1),
        (AGE, {"missing": 90}, 2),
    ):
        attribute = survey_with(place, **named).attributes[place]
        assert attribute.read(value) == answer
        assert attribute.warning(value) == "no value, or none that is a number"
        assert attribute.warning(7) is None


class Odd:
    """Something that cannot be a number, whatever it calls itself."""

    def __float__(self) -> float:
        raise RuntimeError("what is raised may depend on the value")


@pytest.mark.parametrize(
    ("value", "answer"), [(Fraction(7, 2), 3.5), (Odd(), None), (Index(7), 7.0)]
)
def test_a_number_of_any_type_that_calls_itself_one(value: Any, answer: float | None) -> None:
    assert Survey(small_survey()).attributes[BATTERY].read(value) == answer


def test_a_type_that_fails_to_be_a_number_is_missing() -> None:
    Real.register(Odd)
    assert Survey(small_survey()).attributes[BATTERY].read(Odd()) is None


@pytest.mark.parametrize(
    ("place", "changes", "drawn"),
    [
        (WIFI, {"values": ["a", "b", "c"], "mechanisms": None}, [0, 1, 2]),
        (AGE, {}, [0, 1, 2]),
    ],
)
def test_a_draw_gives_every_place_the_same_share(
    place: int, changes: dict[str, Any], drawn: list[int]
) -> None:
    if "mechanisms" in changes:
        changes = {**changes, "mechanisms": [digits(2)]}
    attribute = survey_with(place, **changes).attributes[place]
    third = 2**32 / 3
    for number, edge in enumerate((third, 2 * third, 2**32)):
        assert attribute.place(None, (math.ceil(edge) - 1) << 32) == drawn[number]
        assert attribute.place(None, (math.ceil(edge - third)) << 32) == drawn[number]


def test_a_draw_of_a_level_with_a_sign_is_fair() -> None:
    """Three levels: six shares, 0 to 2 with a positive sign and 4 to 6 with a negative one."""
    signed = survey_with(
        WIFI, kind="signed", values=["a", "b", "c"], mechanisms=[{**digits(3), "signed": True}]
    ).attributes[WIFI]
    sixth = 2**32 / 6
    for number, answer in enumerate((0, 1, 2, 4, 5, 6)):
        assert signed.place(None, (math.ceil(number * sixth)) << 32) == answer
        assert signed.place(None, (math.ceil((number + 1) * sixth) - 1) << 32) == answer


@pytest.mark.parametrize("field", ["missing", "unlisted"])
def test_nothing_stands_in_for_a_level_with_a_sign(field: str) -> None:
    with pytest.raises(RefusedError, match=f"'{field}' has no meaning in a signed attribute"):
        survey_with(
            WIFI, kind="signed", mechanisms=[{**digits(2), "signed": True}], **{field: True}
        )


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
    assert signed.read(value) is None
    assert signed.type == "derived answer"


def test_no_number_below_zero_is_a_level() -> None:
    """Two levels fill their power of two: -1 modulo it would be one of them."""
    mechanism = {**digits(2), "signed": True}
    signed = survey_with(WIFI, kind="signed", mechanisms=[mechanism]).attributes[WIFI]
    assert [signed.read(level) for level in range(4)] == [0, 1, 2, 3]
    assert signed.read(-1) is None


def test_a_range_that_is_a_single_step_wide_is_a_range() -> None:
    survey = survey_with(BATTERY, low=0.0, high=5e-324)
    assert [survey.attributes[BATTERY].read(value) for value in (-1, 0.0, 1)] == [0.0, 0.0, 5e-324]
