"""How much a survey document may hold: the last size that is taken, and the first that is not.

The figures are the protocol's, written out: an SDK that takes less would refuse surveys that
others answer, and one that takes more could be filled up by a hostile server.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from harmony_device import RefusedError, Survey
from harmony_device.tables import TOTAL

from .conftest import small_survey

Change = Callable[[dict[str, Any], int], None]


def row_of(symbols: int) -> list[int]:
    """Return a row of counts, as even as can be."""
    counts = [TOTAL // symbols] * symbols
    counts[0] += TOTAL - sum(counts)
    return counts


def name(document: dict[str, Any], size: int) -> None:
    document["name"] = "a" * size


def attribute_name(document: dict[str, Any], size: int) -> None:
    document["attributes"][0]["name"] = "a" * size


def tiers(document: dict[str, Any], size: int) -> None:
    del document["epsilon"]
    document["tiers"] = [1.0 + place / 64 for place in range(size)]
    for attribute in document["attributes"]:
        attribute["mechanisms"] *= size


def attributes(document: dict[str, Any], size: int) -> None:
    wifi = document["attributes"][1]
    document["attributes"] = [{**wifi, "name": f"wifi {place}"} for place in range(size)]


def answers(document: dict[str, Any], size: int) -> None:
    document["answers"] = size
    document["epsilon"] = 3.0


def coin(document: dict[str, Any], size: int) -> None:
    document["attributes"][2]["coin"] = size


def values(document: dict[str, Any], size: int) -> None:
    document["attributes"][1]["values"] = list(range(size))
    document["attributes"][1]["mechanisms"][0]["digits"] = 21


def bins(document: dict[str, Any], size: int) -> None:
    age = document["attributes"][2]
    age["bins"] = [float(edge) for edge in range(size)]
    age["high"] = size - 1.0
    age["mechanisms"][0]["digits"] = 21


def symbols(document: dict[str, Any], size: int) -> None:
    document["tables"].append({"kind": "circulant", "counts": row_of(size)})


BOUNDS: list[tuple[Change, str, int, int]] = [
    (name, "'name'", 1, 100),
    (attribute_name, "'name'", 1, 200),
    (tiers, "'tiers'", 1, 16),
    (attributes, "'attributes'", 1, 10_000),
    (answers, "'answers'", 1, 3),
    (coin, "'coin'", 1, 1 << 16),
    (values, "'values'", 2, 1 << 20),
    (bins, "'bins'", 3, (1 << 20) + 1),
    (symbols, "counts", 2, 1 << 16),
]


def changed(change: Change, size: int) -> dict[str, Any]:
    document = small_survey()
    change(document, size)
    return document


@pytest.mark.parametrize(("change", "said", "least", "most"), BOUNDS)
def test_a_survey_at_its_bounds_is_taken(change: Change, said: str, least: int, most: int) -> None:
    for size in (least, most):
        assert Survey(changed(change, size)).name


@pytest.mark.parametrize(
    ("change", "said", "size"),
    [
        (change, said, size)
        for change, said, least, most in BOUNDS
        for size in (least - 1, most + 1)
    ],
)
def test_a_survey_beyond_its_bounds_is_refused(change: Change, said: str, size: int) -> None:
    with pytest.raises(RefusedError, match=said):
        Survey(changed(change, size))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"attributes": 7}, "'attributes' must be a list of 1 to 10000 entries"),
        ({"tables": 7}, "'tables' must be a list of 1 to 160000 entries"),
        ({"tables": [7]}, r"tables\[0\]: table: 'kind' must be"),
        ({"tables": [{"kind": "dense"}]}, r"tables\[0\]: table: 'counts' needs"),
        ({"tables": [{"kind": "circulant", "counts": 7}]}, r"tables\[0\]: table: 'counts' must"),
        ({"name": "naïve"}, "'name' must be 1 to 100 letters, digits"),
        ({"name": "\u0663"}, "'name' must be 1 to 100 letters, digits"),
        ({"format": "harmony-survey/2"}, "'format' must be 'harmony-survey/1'"),
    ],
)
def test_a_survey_of_another_shape_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(RefusedError, match=said):
        Survey(small_survey(**change))


def test_a_symbol_takes_one_byte_up_to_256_of_them() -> None:
    for count, size in ((256, 18), (257, 19)):
        document = small_survey()
        document["attributes"][1]["mechanisms"][0] |= {"base": count, "table": 2}
        document["tables"].append({"kind": "circulant", "counts": row_of(count)})
        survey = Survey(document)
        assert (survey.symbol_bytes, survey.report_bytes) == (size - 17, size)


@pytest.mark.parametrize("mechanisms", [None, 7, {}, []])
def test_an_attribute_lists_a_mechanism_for_each_tier(mechanisms: Any) -> None:
    document = small_survey()
    document["attributes"][1]["mechanisms"] = mechanisms
    with pytest.raises(RefusedError, match=r"attributes\[1\]: 'mechanisms' must list one"):
        Survey(document)


@pytest.mark.parametrize("place", [None, "0", 0.5, True, -1, 2])
def test_a_mechanism_names_its_table_by_its_place(place: Any) -> None:
    document = small_survey()
    document["attributes"][1]["mechanisms"][0]["table"] = place
    with pytest.raises(RefusedError, match="'table' must be the place of one of"):
        Survey(document)


def test_a_code_and_its_table_have_as_many_inputs() -> None:
    document = small_survey()
    document["attributes"][1]["mechanisms"][0]["base"] = 3
    with pytest.raises(RefusedError, match="'base' must be the number of the table's inputs"):
        Survey(document)
    document = small_survey()
    document["attributes"][0]["mechanisms"][0]["points"] = 3
    with pytest.raises(RefusedError, match="'points' must be the number of the table's inputs"):
        Survey(document)


def test_a_survey_has_a_table_for_each_attribute_and_tier_at_most() -> None:
    first, second = small_survey()["tables"]
    assert Survey(small_survey(tables=[first, second, *[first] * 10_100])).name
    with pytest.raises(RefusedError, match="'tables' must be a list of 1 to 160000 entries"):
        Survey(small_survey(tables=[first, second, *[first] * 159_999]))


def test_all_tables_together_hold_a_million_counts_at_most() -> None:
    tables = small_survey()["tables"]
    tables += [{"kind": "circulant", "counts": row_of(1 << 16)}] * 15
    tables.append({"kind": "circulant", "counts": row_of((1 << 16) - 6)})
    assert Survey(small_survey(tables=tables)).name
    tables[-1] = {"kind": "circulant", "counts": row_of((1 << 16) - 5)}
    with pytest.raises(RefusedError, match="'tables' hold more than 1048576 counts"):
        Survey(small_survey(tables=tables))


@pytest.mark.parametrize("epsilon", [1e-4, 20.0, 20])
def test_the_least_and_the_most_epsilon_are_taken(epsilon: float) -> None:
    even = {"kind": "circulant", "counts": row_of(2)}
    tables = [even, {"kind": "dense", "counts": [row_of(2)] * 2}]
    assert Survey(small_survey(epsilon=epsilon, tables=tables)).tiers == [float(epsilon)]


@pytest.mark.parametrize("epsilon", [0.99e-4, 20.001, 21, float("nan"), float("inf"), 0])
def test_an_epsilon_beyond_them_is_refused(epsilon: float) -> None:
    with pytest.raises(RefusedError, match=r"'epsilon' must be a number from 0\.0001 to 20"):
        Survey(small_survey(epsilon=epsilon))


@pytest.mark.parametrize("digits", ["1", "0", "9", "8"])
def test_four_hundred_digits_in_a_row_are_read_and_one_more_is_not(digits: str) -> None:
    """They count wherever they stand, in text too, and before anything is parsed."""
    document = json.dumps(small_survey(unknown="here")).encode()
    assert Survey.from_json(document.replace(b"here", digits.encode() * 400))
    for unfit in (document, document.replace(b'"unknown": "here"', b"here")):
        with pytest.raises(
            RefusedError, match=r"^the document has a number of more than 400 digits$"
        ):
            Survey.from_json(unfit.replace(b"here", digits.encode() * 401))


def test_digits_that_something_parts_are_not_in_a_row() -> None:
    document = json.dumps(small_survey(unknown="here")).encode()
    for between in (b".", b"e", b" ", b"/", b":", b"\xc2\xb2"):
        assert Survey.from_json(document.replace(b"here", b"7" * 400 + between + b"7" * 400))


@pytest.mark.parametrize(("most", "allowed"), [(1 << 20, {}), (5000, {"most_bytes": 5000})])
def test_a_document_of_the_most_bytes_is_read_and_a_longer_one_is_not(
    most: int, allowed: dict[str, int]
) -> None:
    document = json.dumps(small_survey()).encode()
    padded = document + b" " * (most - len(document))
    assert Survey.from_json(padded, **allowed)
    with pytest.raises(RefusedError, match=f"^the document has more than {most} bytes$"):
        Survey.from_json(padded + b" ", **allowed)


@pytest.mark.parametrize("mark", ["[", "{", ":", ","])
def test_one_mark_in_eight_bytes_is_read_and_one_more_is_not(mark: str) -> None:
    """They count wherever they stand: it is done before anything is parsed."""
    document = json.dumps(small_survey(unknown="here"))
    used = sum(map(document.count, "[{:,"))
    full = document.replace("here", mark * (512 - used)).encode()
    assert Survey.from_json(full, most_bytes=4096)
    assert Survey.from_json(full, most_bytes=4096 + 7)
    said = r"^the document has more than 512 brackets, colons and commas$"
    with pytest.raises(RefusedError, match=said):
        Survey.from_json(full.replace(b"unknown", b"unknown,"), most_bytes=4096 + 7)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff{}", "it is not UTF-8"),
        (b'{"name": "\xc3"}', "it is not UTF-8"),
        (b"[" * 5000, "it is nested too deeply"),
        (b'{"a": -Infinity}', "-Infinity is not a number"),
        (b"\xef\xbb\xbf{}", "Unexpected UTF-8 BOM"),
        (b"{", "Expecting property name"),
    ],
)
def test_what_is_not_json_says_why(content: bytes, said: str) -> None:
    with pytest.raises(RefusedError, match=f"^the document is not JSON: {said}"):
        Survey.from_json(content)
