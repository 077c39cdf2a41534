"""The bulk path: any kind of table in, the same tally out, bad input named and refused."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import harmony as hm

pytestmark = pytest.mark.usefixtures("either_backend")

N = 3000


@pytest.fixture(scope="module")
def survey() -> hm.Survey:
    return hm.Survey(
        "phones",
        epsilon=1.0,
        attributes=[
            hm.Numeric("battery", 0, 100),
            hm.Categorical("theme", ["light", "dark", "auto"]),
            hm.Boolean("wifi"),
            hm.Integer("sims", 0, 2),
            hm.Numeric("age", 0, 90, bins=[0, 30, 60, 90]),
        ],
    )


@pytest.fixture(scope="module")
def columns() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    return {
        "battery": rng.uniform(0, 100, N),
        "theme": rng.choice(["light", "dark", "auto"], N),
        "wifi": rng.random(N) < 0.7,
        "sims": rng.integers(0, 3, N),
        "age": rng.uniform(0, 90, N),
    }


def test_every_kind_of_table_gives_the_same_tally(survey: hm.Survey, columns: dict) -> None:
    expected = survey.collect(columns, seed=7)
    frame = pd.DataFrame(columns)
    arrow = pa.Table.from_pandas(frame)
    chunked = pa.concat_tables([arrow.slice(0, 700), arrow.slice(700)])
    categories = frame.astype({"theme": "category"})
    reordered = categories.assign(
        theme=categories.theme.cat.reorder_categories(["auto", "light", "dark"])
    )
    tables = {
        "lists": {name: column.tolist() for name, column in columns.items()},
        "pandas": frame,
        "pandas categories": categories,
        "pandas reordered categories": reordered,
        "pandas Arrow types": frame.convert_dtypes(dtype_backend="pyarrow"),
        "pandas nullable types": frame.convert_dtypes(),
        "Polars": pl.DataFrame(columns),
        "Polars categories": pl.DataFrame(columns).with_columns(
            pl.col("theme").cast(pl.Categorical)
        ),
        "Arrow": arrow,
        "Arrow chunks": chunked,
        "Arrow dictionary": chunked.set_column(1, "theme", chunked["theme"].dictionary_encode()),
        "small integers": columns | {"sims": columns["sims"].astype(np.int8)},
        "objects": columns | {"theme": columns["theme"].astype(object)},
    }
    for name, table in tables.items():
        assert survey.collect(table, seed=7) == expected, name


def test_numbers_of_any_type_are_read_in_place(columns: dict) -> None:
    survey = hm.Survey("s", [hm.Numeric("x", 0, 100)], epsilon=2.0)
    whole = columns["battery"].astype(np.int64)
    expected = survey.collect({"x": whole.astype(np.float64)}, seed=1)
    for kind in (np.int8, np.uint8, np.int16, np.int32, np.uint64, np.float32, np.float16, ">f8"):
        assert survey.collect({"x": whole.astype(kind)}, seed=1) == expected


def test_a_seed_gives_the_same_tally_whatever_the_division(
    survey: hm.Survey, columns: dict
) -> None:
    whole = survey.collect(columns, seed=7)
    round_ = hm.Round.simulated(7)
    parts = [
        survey.collect(
            {name: column[start:stop] for name, column in columns.items()},
            seed=7,
            round=round_,
            first=start,
        )
        for start, stop in ((0, 1), (1, 1700), (1700, N))
    ]
    assert sum(parts) == whole
    assert survey.collect(columns, seed=7, threads=1) == whole
    assert survey.collect(columns, seed=7, threads=3) == whole
    assert survey.tally(survey.randomize(columns, seed=7)) == whole


def test_chunk_borders_do_not_matter(
    monkeypatch: pytest.MonkeyPatch, survey: hm.Survey, columns: dict
) -> None:
    expected = survey.collect(columns, seed=7)
    monkeypatch.setattr("harmony.bulk.collect.CHUNK", 257)
    assert survey.collect(columns, seed=7) == expected


def test_without_a_seed_two_collections_differ(survey: hm.Survey, columns: dict) -> None:
    first, second = survey.collect(columns), survey.collect(columns)
    assert first.round.seed != second.round.seed
    assert not np.array_equal(first.counts, second.counts)


def test_every_device_answers_once(survey: hm.Survey, columns: dict) -> None:
    tally = survey.collect(columns, seed=7)
    assert tally.reports == N
    assert tally.counts.sum() == N * survey.answers


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("battery", [1.0, float("nan")], "battery: row 1 holds no finite number"),
        ("battery", [float("inf"), 1.0], "battery: row 0 holds no finite number"),
        (
            "battery",
            ["a", "b"],
            r"battery: the column holds values of another type \(2 in rows 0 to 1\), but the "
            "attribute takes numbers; convert the column, or do as devices do with as_devices=True",
        ),
        ("battery", [True, False], "battery: the column holds booleans, but"),
        ("battery", [None, True], r"battery: the column holds .* another type \(1 in rows 0"),
        ("battery", [1 + 2j, 1j], "battery: the column holds complex numbers"),
        ("battery", [None, 3.0], "battery: row 0 holds no finite number"),
        ("battery", [{"a": 1}, 3.0], "battery: the column holds values of another type"),
        ("battery", [[1.0], [2.0]], "battery: the column must have one dimension"),
        ("theme", ["light", "purple"], "theme: row 1 holds none of the attribute's 3 values"),
        ("theme", ["light", None], "theme: row 1 holds none of the attribute's 3 values"),
        ("theme", [0, 1], "theme: the column holds integers, but the attribute takes text"),
        ("theme", [None, None], "theme: row 0 holds none of the attribute's 3 values"),
        (
            "wifi",
            ["yes", "no"],
            r"wifi: the column holds values of another type \(2 in rows 0 to 1\), but the "
            "attribute takes booleans",
        ),
        ("wifi", [0, 7], "wifi: row 1 holds none of the attribute's 2 values"),
        ("sims", [1, 3], "sims: row 1 holds none of the attribute's 3 values"),
        (
            "sims",
            [0.5, 1.0],
            "sims: the column holds floating-point numbers, but the attribute takes integers",
        ),
        ("age", [float("nan"), 3.0], "age: row 0 holds no finite number"),
        ("sims", [1, 2, 1], "columns .* differ in length"),
        ("sims", [], "columns .* differ in length"),
    ],
)
def test_bad_values_are_refused_with_the_column_and_the_row(
    survey: hm.Survey, column: str, values: list, said: str
) -> None:
    table = {
        "battery": [1.0, 2.0],
        "theme": ["light", "dark"],
        "wifi": [True, False],
        "sims": [0, 1],
        "age": [10.0, 20.0],
    }
    with pytest.raises(hm.DataError, match=said) as refusal:
        survey.collect(table | {column: values}, seed=1)
    assert "purple" not in str(refusal.value)


def test_a_missing_column_an_empty_table_and_no_table_are_refused(
    survey: hm.Survey, columns: dict
) -> None:
    with pytest.raises(hm.DataError, match="column 'theme' is missing"):
        survey.collect({name: c for name, c in columns.items() if name != "theme"})
    with pytest.raises(hm.DataError, match="no rows"):
        survey.collect({name: c[:0] for name, c in columns.items()})
    with pytest.raises(hm.DataError, match="must be a dict of arrays"):
        survey.collect([1, 2, 3])
    with pytest.raises(hm.DataError, match="'first' must be"):
        survey.collect(columns, first=-1)


def test_numbers_outside_the_range_are_clipped_and_counted_or_refused(columns: dict) -> None:
    survey = hm.Survey("s", [hm.Numeric("x", 0, 10)], epsilon=1.0)
    table = {"x": [-5.0, 3.0, 12.0, 10.0]}
    with pytest.warns(hm.ClippedWarning, match="x: 2 values lie outside its range and"):
        clipped = survey.collect(table, seed=1)
    assert clipped == survey.collect({"x": [0.0, 3.0, 10.0, 10.0]}, seed=1)
    with pytest.raises(hm.DataError, match="x: 2 values lie outside"):
        survey.collect(table, seed=1, strict=True)


def test_numbers_outside_the_bins_are_counted_too() -> None:
    survey = hm.Survey("s", [hm.Numeric("x", 0, 10, bins=5)], epsilon=1.0)
    with pytest.warns(hm.ClippedWarning, match="x: 2 values") as caught:
        clipped = survey.collect({"x": [-5.0, 3.0, 12.0, 10.0]}, seed=1)
    assert (caught[0].message.attribute, caught[0].message.clipped) == ("x", 2)
    assert clipped == survey.collect({"x": [0.0, 3.0, 10.0, 10.0]}, seed=1)


def test_integers_that_wrap_around_are_not_taken_for_others() -> None:
    survey = hm.Survey("s", [hm.Integer("x", -1, 5)], epsilon=1.0)
    with pytest.raises(hm.DataError, match="x: row 1 holds none"):
        survey.collect({"x": np.array([1, 2**64 - 1], np.uint64)}, seed=1)


def test_a_missing_value_counts_as_the_value_declared_for_it() -> None:
    survey = hm.Survey(
        "s",
        [
            hm.Numeric("x", 0, 10, missing=5),
            hm.Categorical("os", ["a", "b", "none"], missing="none"),
            hm.Integer("n", 0, 3),
            hm.Numeric("y", 0, 10, bins=5, missing=9),
        ],
        epsilon=1.0,
    )
    holes = pa.table(
        {"x": [1.0, None] * 500, "os": ["a", None] * 500, "n": [1, 2] * 500, "y": [None, 1.0] * 500}
    )
    filled = pa.table(
        {"x": [1.0, 5.0] * 500, "os": ["a", "none"] * 500, "n": [1, 2] * 500, "y": [9.0, 1.0] * 500}
    )
    expected = survey.collect(filled, seed=3)
    assert survey.collect(holes, seed=3) == expected
    assert survey.collect(holes.to_pandas(), seed=3) == expected
    dictionary = holes.set_column(1, "os", holes["os"].dictionary_encode())
    assert survey.collect(dictionary, seed=3) == expected


def test_an_unlisted_value_counts_as_the_value_declared_for_it() -> None:
    survey = hm.Survey(
        "s",
        [
            hm.Categorical("os", ["a", "b", "other"], unlisted="other"),
            hm.Integer("n", 0, 3, unlisted=3),
            hm.Categorical("far", [0, 1 << 40], unlisted=0),
        ],
        epsilon=1.0,
    )
    odd = {"os": ["a", "z"] * 500, "n": [1, 9] * 500, "far": [1 << 40, 7] * 500}
    plain = {"os": ["a", "other"] * 500, "n": [1, 3] * 500, "far": [1 << 40, 0] * 500}
    expected = survey.collect(plain, seed=3)
    assert survey.collect(odd, seed=3) == expected
    assert survey.collect(pa.table(odd), seed=3) == expected
    narrow = odd | {"n": np.array(odd["n"], np.uint8)}
    assert survey.collect(narrow, seed=3) == expected
    arrow = pa.table(odd)
    dictionary = arrow.set_column(0, "os", arrow["os"].dictionary_encode())
    assert survey.collect(dictionary, seed=3) == expected
    for name, kind in (("os", pa.string()), ("n", pa.int64()), ("far", pa.int64())):
        holes = pa.array([plain[name][0], None, plain[name][1], None] * 250, kind)
        with pytest.raises(hm.DataError, match=f"{name}: row 1 holds none .* 499 other rows"):
            survey.collect(plain | {name: holes}, seed=3)
        with pytest.raises(hm.DataError, match=f"{name}: row 1 holds none .* 499 other rows"):
            survey.collect(plain | {name: holes.to_pylist()}, seed=3)


def test_a_refusal_tells_how_many_rows_and_every_fix(survey: hm.Survey, columns: dict) -> None:
    wrong = columns | {"theme": np.where(np.arange(N) % 100 == 7, "purple", columns["theme"])}
    with pytest.raises(hm.DataError) as refusal:
        survey.collect(wrong, seed=1)
    assert str(refusal.value) == (
        "theme: row 7 holds none of the attribute's 3 values, and so do 29 other rows; list what "
        "is there in 'values', name one of them as 'unlisted' (for values that are not listed) or "
        "as 'missing' (for no value), or do as devices do with as_devices=True"
    )
    holes = columns["battery"].copy()
    holes[[5, 2900]] = np.nan
    with pytest.raises(hm.DataError) as refusal:
        survey.collect(columns | {"battery": holes}, seed=1)
    assert str(refusal.value) == (
        "battery: row 5 holds no finite number (missing, NaN or infinite), and so does 1 other "
        "row; remove such rows, give the attribute a value for 'missing', or do as devices do "
        "with as_devices=True"
    )


def test_a_category_with_100_000_values_works(columns: dict) -> None:
    survey = hm.Survey("s", [hm.Integer("zip", 0, 99_999)], epsilon=2.0)
    zips = np.concatenate(
        [np.full(30_000, 123), np.random.default_rng(0).integers(0, 100_000, 10_000)]
    )
    result = survey.estimate(survey.collect({"zip": zips}, seed=1))
    assert abs(result["zip"].frequencies[123] - 0.75) < 5 * result["zip"].stderr[123]


def test_memory_stays_bounded() -> None:
    """Collecting 2M devices x 4 columns (64 MB) allocates far less than a copy of the input."""
    survey = hm.Survey("s", [hm.Numeric(name, 0, 1) for name in "abcd"], epsilon=1.0)
    table = {name: np.random.default_rng(0).random(2_000_000) for name in "abcd"}
    survey.collect({name: column[:10] for name, column in table.items()}, seed=1)
    tracemalloc.start()
    survey.collect(table, seed=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32e6


def test_tiers_are_needed_where_offered_and_checked() -> None:
    survey = hm.Survey("s", [hm.Boolean("wifi")], tiers=[0.5, 1.0])
    table = {"wifi": [True, False, True]}
    with pytest.raises(hm.DataError, match="pass tiers="):
        survey.collect(table)
    with pytest.raises(hm.DataError, match="between 0 and 1"):
        survey.collect(table, tiers=[0, 1, 2])
    with pytest.raises(hm.DataError, match="'tiers' must be an array"):
        survey.collect(table, tiers=[0, 1])
    tally = survey.collect(table, tiers=[0, 1, 1], seed=1)
    assert tally.tier_reports == (1, 2)
    assert survey.tally(survey.randomize(table, tiers=[0, 1, 1], seed=1)) == tally


def test_reports_have_the_same_size_whatever_the_data(survey: hm.Survey, columns: dict) -> None:
    other = columns | {"theme": np.full(N, "auto"), "battery": np.zeros(N)}
    first, second = survey.randomize(columns, seed=1), survey.randomize(other, seed=1)
    assert first.schema == second.schema
    assert first.nbytes == second.nbytes


def test_reports_that_do_not_belong_are_refused(survey: hm.Survey, columns: dict) -> None:
    reports = survey.randomize(columns, seed=1)
    stranger = hm.Survey("phones", survey.attributes, epsilon=2.0)
    with pytest.raises(hm.TallyError, match="another survey"):
        stranger.tally(reports)
    with pytest.raises(hm.TallyError, match="belong to round"):
        survey.tally(reports, hm.Round.open("other"))
    with pytest.raises(hm.TallyError, match="pass round="):
        survey.tally(reports.replace_schema_metadata(None))
    with pytest.raises(hm.TallyError, match="reported twice"):
        survey.tally(pa.concat_tables([reports, reports.slice(0, 1)]))
    with pytest.raises(hm.TallyError, match="'symbol_0' is missing"):
        survey.tally(reports.drop(["symbol_0"]))
    wrong = reports.set_column(
        2,
        reports.schema.field("symbol_0"),
        pa.array(np.full(N, 250), reports.schema.field("symbol_0").type),
    )
    with pytest.raises(hm.TallyError, match="not in its attribute's table"):
        survey.tally(wrong)
    assert survey.tally(reports.slice(0, 0)).reports == 0


def test_nothing_is_warned_about_good_data(survey: hm.Survey, columns: dict) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        survey.collect(columns, seed=1)
