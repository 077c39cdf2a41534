"""A device believes a survey document only after checking it, whoever wrote it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harmony_device import RefusedError, Survey
from harmony_device.protocol import MOST_BYTES
from harmony_device.tables import TOTAL

from .conftest import SMALL, small_survey, vectors

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=5), children, max_size=3)
    ),
    max_leaves=5,
)


def places(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every part of a document."""
    found = [path]
    if isinstance(document, dict):
        keys: Any = document
    elif isinstance(document, list):
        keys = range(len(document))
    else:
        return found
    for key in keys:
        found += places(document[key], (*path, key))
    return found


@settings(max_examples=150)
@given(place=st.sampled_from(places(SMALL)[1:]), put=JSON)
def test_any_change_is_taken_or_refused_and_never_crashes(place: tuple[Any, ...], put: Any) -> None:
    document = copy.deepcopy(SMALL)
    parent: Any = document
    for key in place[:-1]:
        parent = parent[key]
    parent[place[-1]] = put
    try:
        Survey(document)
    except RefusedError as refusal:
        assert str(refusal)  # noqa: PT017  either outcome is right


@pytest.mark.parametrize("document", [None, 7, "survey", [], {}, [SMALL]])
def test_what_is_no_survey_is_refused(document: Any) -> None:
    with pytest.raises(RefusedError):
        Survey(document)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe\xfa", "not JSON"),
        (b"[" * 60_000, "nested too deeply"),
        (b"[" * 140_000, "brackets, colons and commas"),
        (b'{"format": ' * 60_000, "nested too deeply"),
        (b'{"epsilon": Infinity}', "Infinity is not a number"),
        (b'{"epsilon": ' + b"9" * 1_000_000 + b"}", "400 digits"),
        (b" " * (MOST_BYTES + 1), "bytes"),
    ],
    ids=["empty", "cut", "bytes", "deep", "lists", "objects", "infinity", "digits", "size"],
)
def test_text_that_would_crash_or_hang_is_refused(text: bytes, why: str) -> None:
    with pytest.raises(RefusedError, match=why):
        Survey.from_json(text)


def test_tables_that_would_fill_the_memory_are_refused() -> None:
    row = [TOTAL - 1023] + [1] * 1023
    document = small_survey(tables=[{"kind": "dense", "counts": [row] * 1025}])
    with pytest.raises(RefusedError, match="'tables' hold more than"):
        Survey(document)


def test_a_table_shared_by_thousands_of_attributes_is_proved_once() -> None:
    document = small_survey()
    wifi = document["attributes"][1]
    wifi["mechanisms"][0]["base"] = 65536
    document["attributes"] = [{**wifi, "name": f"wifi {place}"} for place in range(10_000)]
    document["tables"] = [{"kind": "circulant", "counts": [TOTAL // 65536] * 65536}]
    assert Survey(document).symbol_bytes == 2


def test_a_lie_in_any_tier_is_refused() -> None:
    document = vectors("reports")["surveys"]["tiers"]
    for attribute in document["attributes"]:
        attribute["mechanisms"] = attribute["mechanisms"][::-1]
    with pytest.raises(RefusedError, match=r"attributes\[0\].mechanisms\[0\].*promised epsilon"):
        Survey(document)


def test_a_refusal_says_where() -> None:
    document = small_survey()
    document["tables"][1]["counts"][1][0] += 1
    with pytest.raises(RefusedError, match=r"^tables\[1\]: table: row 1 must sum to exactly"):
        Survey(document)


def test_unknown_fields_are_passed_over() -> None:
    assert Survey(small_survey(colour="blue", mechanism="auto")).name == "small"


def test_a_survey_reads_the_same_from_json() -> None:
    for document in vectors("reports")["surveys"].values():
        one, other = Survey(document), Survey.from_json(json.dumps(document).encode())
        assert (one.weights, one.rows, one.tiers) == (other.weights, other.rows, other.tiers)
