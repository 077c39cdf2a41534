"""A report's size, its random bytes and its errors say nothing about the values."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from harmony_device import Survey, make_report
from harmony_device.report import ask

from .conftest import VALUES, small_survey, vectors

SURVEYS = {name: Survey(one) for name, one in vectors("reports")["surveys"].items()}
CASES = vectors("reports")["reports"]
SMALL = Survey(small_survey())


KINDS = {"battery": "number", "age": "number", "wifi": "boolean"}


def counted(drawn: list[int]) -> Callable[[int], bytes]:
    def random_bytes(count: int) -> bytes:
        drawn.append(count)
        return os.urandom(count)

    return random_bytes


@pytest.mark.parametrize("case", CASES)
def test_size_and_random_bytes_depend_on_the_survey_alone(case: dict[str, Any]) -> None:
    survey = SURVEYS[case["survey"]]
    drawn: list[int] = []
    for _ in range(3):
        report = make_report(
            survey, os.urandom(16), os.urandom(16), case["tier"], case["values"], counted(drawn)
        )
        assert len(report) == survey.report_bytes
    assert set(drawn) == {16 * survey.answers}


def test_values_come_from_a_mapping_or_a_function() -> None:
    arguments = bytes(16), bytes(16), 0
    by_mapping = make_report(SMALL, *arguments, VALUES, bytes)
    assert make_report(SMALL, *arguments, VALUES.get, bytes) == by_mapping


@pytest.mark.parametrize("place", range(20))
def test_every_attribute_is_read_whichever_is_asked(place: int) -> None:
    read: list[str] = []

    def value_of(name: str) -> object:
        read.append(name)
        return VALUES[name]

    make_report(SMALL, bytes(16), place.to_bytes(16, "little"), 0, value_of, os.urandom)
    assert read == ["battery", "wifi", "age"]


@pytest.mark.parametrize("place", range(20))
@pytest.mark.parametrize("missing", ["battery", "wifi", "age"])
def test_a_missing_value_draws_and_sends_as_much_as_any(place: int, missing: str) -> None:
    values = {name: value for name, value in VALUES.items() if name != missing}
    reports, drawn = [], []
    for record in (values, VALUES):
        device = place.to_bytes(16, "little")
        reports.append(make_report(SMALL, bytes(16), device, 0, record, counted(drawn)))
    assert drawn[0] == drawn[1]
    assert len(reports[0]) == len(reports[1])
    assert SMALL.warnings(values) == [f"{missing}: no value, or none that is a " + KINDS[missing]]


def test_a_declared_missing_value_answers_like_any_other() -> None:
    document = small_survey()
    for place, missing in enumerate((50.0, False, 20)):
        document["attributes"][place]["missing"] = missing
    survey = Survey(document)
    assert survey.read({}) == survey.read({"battery": 50, "wifi": False, "age": 20}) == [50, 0, 1]
    assert survey.read({"battery": None, "wifi": None, "age": None}) == [50, 0, 1]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("battery", math.nan),
        ("battery", math.inf),
        ("battery", -math.inf),
        ("battery", "secret"),
        ("battery", b"secret"),
        ("battery", [71.5]),
        ("battery", True),
        ("battery", 71 + 0j),
        ("battery", 10**400),
        ("age", math.nan),
        ("age", "secret"),
        ("wifi", 1),
        ("wifi", 0.0),
        ("wifi", "secret"),
        ("wifi", ["secret"]),
        ("wifi", {"secret": 1}),
    ],
)
def test_a_value_that_does_not_fit_has_a_random_answer_and_is_never_shown(
    name: str, value: Any
) -> None:
    values = {**VALUES, name: value}
    place = [attribute.name for attribute in SMALL.attributes].index(name)
    answers = SMALL.read(values)
    assert answers[place] is None
    assert [one for one in answers if one is not None] == [
        one for other, one in enumerate(SMALL.read(VALUES)) if other != place
    ]
    assert SMALL.warnings(values) == [f"{name}: no value, or none that is a " + KINDS[name]]


def test_a_function_that_raises_tells_nothing() -> None:
    def value_of(name: str) -> object:
        raise LookupError(f"the {name} of this device is secret")

    assert SMALL.read(value_of) == [None, None, None]
    assert "secret" not in "".join(SMALL.warnings(value_of))


def test_an_index_is_drawn_evenly_for_someone_without_an_answer() -> None:
    """Each of 20,000 draws of three bins: within 5 standard errors (1 false alarm in 10^6)."""
    attribute = SMALL.attributes[2]
    times = 20_000
    drawn = [attribute.place(None, int.from_bytes(os.urandom(8), "little")) for _ in range(times)]
    for place in range(3):
        assert abs(drawn.count(place) / times - 1 / 3) < 5 * (2 / 9 / times) ** 0.5


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (-1, 0.0),
        (-1e308, 0.0),
        (101, 100.0),
        (10**300, 100.0),
        (-(10**300), 0.0),
        (Fraction(1, 2), 0.5),
        (-0.0, 0.0),
        (7, 7.0),
    ],
)
def test_numbers_of_any_kind_are_clipped(value: Any, answer: float) -> None:
    assert SMALL.read({**VALUES, "battery": value})[0] == answer


def test_numpy_scalars_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    assert SMALL.read({**VALUES, "battery": numpy.float32(2.5)})[0] == 2.5
    assert SMALL.read({**VALUES, "age": numpy.int64(70)})[2] == 2
    cards = {"battery": 1.0, "theme": "dark", "cards": numpy.int16(3), "age": 1}
    assert SURVEYS["best"].read(cards)[2] == 3


def test_a_tier_that_is_not_offered_is_refused() -> None:
    for tier in (-1, 1):
        with pytest.raises(ValueError, match="'tier'"):
            ask(SMALL, bytes(16), bytes(16), tier)


def test_reports_follow_their_table() -> None:
    """10,000 draws for one value: each symbol within 5 standard errors (1 false alarm in 10^6)."""
    survey = SURVEYS["several"]
    values = {f"setting {place}": True for place in range(8)}
    table = survey.mechanisms[0][0].table
    times = 10_000
    likely = sum(
        make_report(survey, bytes(16), bytes(16), 0, values, os.urandom)[17] for _ in range(times)
    )
    share = max(table.counts) / 2**53
    assert abs(likely / times - share) < 5 * (share * (1 - share) / times) ** 0.5
