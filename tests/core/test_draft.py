"""`Survey.from_frame`: a survey drafted from any kind of table, with everything guessed marked."""

from __future__ import annotations

import warnings
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import harmony as hm

ROWS = 60
COLUMNS: dict[str, Any] = {
    "battery": np.linspace(3.2, 98.7, ROWS),
    "theme": ["light", "dark", "auto"] * 20,
    "wifi": [True, False] * 30,
    "sims": [0, 1, 2] * 20,
    "steps": list(range(0, 60_000, 1000)),
    "id": [f"user-{number}" for number in range(ROWS)],
    "seen": [date(2026, 11, 1)] * ROWS,
    "gaps": [None, 2.5] * 30,
}


def drafted(table: Any, **options: Any) -> hm.Survey:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hm.PrivacyLeakWarning)
        return hm.Survey.from_frame(table, epsilon=1.0, **options)


@pytest.mark.parametrize(
    "kind",
    [dict, pd.DataFrame, pl.DataFrame, pa.table],
    ids=["dict", "pandas", "polars", "arrow"],
)
def test_every_kind_of_table_gives_the_same_draft(kind: Any) -> None:
    survey = drafted(kind(COLUMNS), name="phones")
    assert survey.to_code().splitlines() == [
        'hm.Survey("phones", epsilon=1, attributes=[',
        '    hm.Numeric("battery", 0, 100),  # review: the range of the data, rounded',
        '    hm.Categorical("theme", ["auto", "dark", "light"]),  # review: the values of the data',
        '    hm.Boolean("wifi"),',
        '    hm.Integer("sims", 0, 2),  # review: the range of the data',
        '    hm.Numeric("steps", 0, 60000),  # review: the range of the data, rounded',
        '    hm.Numeric("gaps", 1.5, 3.5),  # review: the range of the data, rounded; '
        "some rows have no value: name a 'missing'",
        '    # left out: "id", more than 50 different texts: an id, or free text',
        '    # left out: "seen", dates: neither a number nor one of a few values',
        "])",
    ]


def test_the_code_builds_the_same_survey() -> None:
    survey = hm.Survey(
        "phones",
        tiers=[0.5, 1.0],
        attributes=[
            hm.Numeric("battery \u2603", -1.5, 1e9, missing=0),
            hm.Numeric("age", 0, 90, bins=[0, 30, 90], weight=3),
            hm.Categorical('the "theme"', ["light", "dark"], unlisted="dark", missing="light"),
            hm.Boolean("wifi", missing=False),
            hm.Integer("sims", -1, 2),
            hm.Categorical("odd", [3, 5, 9]),
        ],
    )
    assert eval(survey.to_code(), {"hm": hm}) == survey


@pytest.mark.parametrize(
    "options",
    [{}, {"mechanism": "harmony"}, {"answers": 2}, {"balance": False}, {"epsilon": 0.1 + 0.2}],
)
def test_the_code_keeps_every_option_of_a_survey(options: dict[str, Any]) -> None:
    attributes = [hm.Boolean(f"b{number}") for number in range(4)]
    survey = hm.Survey("phones", attributes, **({"epsilon": 3.0} | options))
    assert eval(survey.to_code(), {"hm": hm}) == survey


def test_the_draft_warns_once_at_the_callers_line() -> None:
    with pytest.warns(hm.PrivacyLeakWarning, match="the domains of battery, theme") as found:
        hm.Survey.from_frame(COLUMNS, epsilon=1.0, columns=["battery", "theme", "wifi"])
    (warning,) = found
    assert warning.filename == __file__
    assert "to_code" in str(warning.message)


def test_a_draft_says_what_to_review_and_a_survey_of_ones_own_does_not() -> None:
    survey = drafted(COLUMNS, columns=["battery", "wifi"])
    assert repr(survey).endswith("; to review: battery>")
    assert survey.draft is not None
    assert list(survey.draft.to_review) == ["battery"]
    assert "review" not in repr(hm.Survey("own", list(survey.attributes), epsilon=1.0))


def test_booleans_alone_leak_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hm.Survey.from_frame({"wifi": [True, False]}, epsilon=1.0)


def test_declared_categories_are_taken_in_their_order() -> None:
    column = pd.Categorical(["M", "S"], categories=["S", "M", "L"], ordered=True)
    survey = drafted(pd.DataFrame({"size": column}))
    assert survey.attributes[0].values == ("S", "M", "L")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"id": [f"{n}" for n in range(99)]}, "no column can be an attribute"),
        ({"mixed": [1, "a", 2.5, {}]}, "no column can be an attribute"),
        ({"same": ["x", "x"]}, "no column can be an attribute"),
        ({"nothing": [float("nan")] * 3}, "no column can be an attribute"),
        (7, "the table must be a dict"),
    ],
)
def test_tables_without_an_attribute_are_refused(table: Any, said: str) -> None:
    with pytest.raises(hm.DataError, match=said):
        drafted(table)


def test_a_column_that_is_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(hm.DataError, match=r"'Battery' is missing; did you mean 'battery'\?"):
        drafted(COLUMNS, columns=["Battery"])


def test_the_draft_of_the_sample_collects_the_sample() -> None:
    people = hm.datasets.phones(2_000)
    tally = drafted(people).collect(people, seed=7, strict=True)
    assert tally.reports == 2_000
