"""With `as_devices` a table of whatever it may be reports as its people's devices would."""

from __future__ import annotations

import datetime
import enum
import json
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import harmony as hm
from harmony.bulk.collect import Randomizer, keystream
from harmony.engines.simulation import Simulation
from harmony_device import Survey as DeviceSurvey
from harmony_device.report import make_report

pytestmark = [
    pytest.mark.usefixtures("either_backend"),
    pytest.mark.filterwarnings("ignore::harmony.ClippedWarning"),
]

VECTORS = Path(__file__).parents[2] / "device" / "vectors"
DOCUMENT = json.loads((VECTORS / "reports.json").read_text())["surveys"]["silence"]
SURVEY = hm.Survey.from_document(DOCUMENT)


class Text(str, enum.Enum):  # noqa: UP042  its str() is its name, which a device looks behind
    """Text that hides behind a name."""

    DARK = "dark"


OBJECTS = [
    None, math.nan, math.inf, -math.inf, True, False, 0, 1, 2, 3, 15, 16, -1, 2.0, 2.5, -0.0, 71.5,
    1e300, -1e300, 10**400, 2**53 + 1, 2**64, "", "dark", "Köln", "K\u0308ln", "A", "other", "71",
    "true", "\ud800", b"dark", Text.DARK, np.str_("light"), np.float32(1), np.float16(0.5),
    np.int8(3), np.uint64(2**64 - 1), np.bool_(True), np.longdouble(2), Fraction(4, 2), Decimal(2),
    1 + 0j, [], {}, (), object(), pd.NA, pd.NaT, datetime.date(2026, 11, 16),
]  # fmt: skip


def assert_as_devices(column: Any, values: list[Any]) -> None:
    """Whoever has these values, in every attribute, reports as a device with them would."""
    table = dict.fromkeys([one.name for one in SURVEY.attributes], column)
    round_ = hm.Round("1", bytes(range(16)))
    reports = SURVEY.randomize(table, 5, round=round_, as_devices=True).to_pylist()
    assert len(reports) == len(values)
    device, answers = DeviceSurvey(DOCUMENT), SURVEY.answers
    words = keystream(Randomizer(SURVEY, table, 5, as_devices=True).key, 0, len(values) * answers)
    for row, (value, report) in enumerate(zip(values, reports, strict=True)):
        random = words[row * answers : (row + 1) * answers].tobytes()
        # NumPy's booleans are a table's; an app has Python's.
        person = dict.fromkeys(table, bool(value) if isinstance(value, np.bool_) else value)
        made = make_report(
            device, round_.seed, report["device"], 0, person, lambda count, drawn=random: drawn
        )
        symbols = bytes(report[f"symbol_{answer}"] for answer in range(answers))
        assert (report["device"] + bytes(1) + symbols).hex() == made.hex(), (row, type(value))


def objects(values: list[Any]) -> np.ndarray:
    column = np.empty(len(values), object)
    column[:] = values
    return column


def test_objects_of_all_types_in_one_column() -> None:
    rng = np.random.default_rng(1)
    values = [OBJECTS[place] for place in rng.integers(0, len(OBJECTS), 600)]
    assert_as_devices(objects(values), values)
    assert_as_devices(pd.Series(objects(values)), values)


@pytest.mark.parametrize("value", OBJECTS, ids=lambda value: type(value).__name__)
def test_objects_of_one_type(value: Any) -> None:
    assert_as_devices(objects([value] * 3), [value] * 3)
    assert_as_devices(objects([value, None]), [value, None])
    assert_as_devices(objects([2.0, value]), [2.0, value])  # which Arrow may take for its type


NUMBERS = [0.0, 1.0, 2.0, 3.0, 15.0, 16.0, 70.0, 100.0, 120.0]


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4"])
def test_integers_of_every_type(kind: str) -> None:
    known, ends = np.array(NUMBERS).astype(kind), np.iinfo(kind)
    column = np.concatenate([known, np.array([ends.min, ends.max], kind)]).astype(kind)
    assert_as_devices(column, column.tolist())
    assert_as_devices(np.repeat(column, 2)[::2], column.tolist())


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", ">f8", "g"])
def test_floats_of_every_type(kind: str) -> None:
    column = np.array([*NUMBERS, 2.5, -1.0, -0.0, 6e4, np.nan, np.inf, -np.inf]).astype(kind)
    assert_as_devices(column, [float(one) for one in column])


def test_columns_in_which_nothing_is_a_value() -> None:
    for column in (
        np.array(["2026-11-16", "NaT"], "M8[D]"),
        np.array([b"dark", b""]),
        np.array([1j, 2.0]),
        pa.nulls(2),
        pa.array([Decimal(2), None]),
        pa.array([b"dark", None]),
        pa.array([[1], []]),
        pa.array([{"a": 1}, None]),
        pa.array([datetime.date(2026, 11, 16), None]),
    ):
        assert_as_devices(column, [None, None])


WITH_NULLS = {
    "integers": pa.array([0, 3, None, 16, -5, 2**62]),
    "small integers": pa.array([0, 3, None, 16, -5], pa.int8()),
    "large integers": pa.array([0, None, 2**64 - 1], pa.uint64()),
    "floats": pa.array([0.0, 3.0, None, math.nan, math.inf, 2.5]),
    "half floats": pa.array([np.float16(2), None, np.float16(2.5)], pa.float16()),
    "booleans": pa.array([True, None, False]),
    "text": pa.array(["dark", None, "Bonn", "Köln", ""]),
    "large text": pa.array(["dark", None, "Bonn", "Köln"], pa.large_string()),
    "a dictionary of text": pa.array(["dark", None, "Bonn", "Köln"]).dictionary_encode(),
    "a dictionary of integers": pa.array([0, 3, None, 16]).dictionary_encode(),
    "a dictionary of floats": pa.array([0.0, 3.0, None, 2.5]).dictionary_encode(),
    "a dictionary of booleans": pa.DictionaryArray.from_arrays([0, 1, None], [True, False]),
    "a dictionary with a null": pa.DictionaryArray.from_arrays([0, 1, 2], ["dark", None, "Bonn"]),
}


@pytest.mark.parametrize("name", WITH_NULLS)
def test_arrow_columns_with_nulls_and_without_whole_and_in_pieces(name: str) -> None:
    column = WITH_NULLS[name]
    full = column.drop_null()
    assert_as_devices(column, column.to_pylist())
    assert_as_devices(
        pa.chunked_array([column, column[:1]]), [*column.to_pylist(), column[0].as_py()]
    )
    assert_as_devices(full, full.to_pylist())
    assert_as_devices(pa.chunked_array([full[:1], full[1:]]), full.to_pylist())


def test_pandas_and_polars_columns_with_nulls() -> None:
    for values in ([0, 3, None, 16], [True, None, False], ["dark", None, "Bonn"], [0.5, None, 2.0]):
        assert_as_devices(pd.Series(values).convert_dtypes(), values)
        assert_as_devices(pd.Series(values).convert_dtypes(dtype_backend="pyarrow"), values)
        assert_as_devices(pl.Series(values), values)
    text = ["dark", None, "Bonn"]
    assert_as_devices(pd.Series(text, dtype="category"), text)
    assert_as_devices(pl.Series(text, dtype=pl.Categorical), text)
    assert_as_devices(pd.Series(pd.period_range("2026-11", periods=2)), [None, None])


def test_good_tables_give_the_same_tally_with_it_and_without() -> None:
    rng, n = np.random.default_rng(2), 5000
    survey = hm.Survey(
        "s",
        [
            hm.Numeric("x", 0, 1),
            hm.Numeric("y", 0, 1, bins=5),
            hm.Categorical("os", ["a", "b", "c"]),
            hm.Integer("n", -3, 9),
            hm.Boolean("wifi"),
            hm.Categorical("far", [0, 1 << 40]),
        ],
        epsilon=1.0,
    )
    table = {
        "x": rng.uniform(-0.1, 1, n),
        "y": rng.uniform(0, 1.1, n),
        "os": rng.choice(["a", "b", "c"], n),
        "n": rng.integers(-3, 10, n),
        "wifi": rng.random(n) < 0.5,
        "far": rng.choice([0, 1 << 40], n),
    }
    with pytest.warns(hm.ClippedWarning) as without:
        expected = survey.collect(table, seed=1)
    with pytest.warns(hm.ClippedWarning) as with_it:
        assert survey.collect(table, seed=1, as_devices=True) == expected
    assert [str(one.message) for one in with_it] == [str(one.message) for one in without]
    simulation = Simulation(survey, pa.table(table), 2 * n, seed=1, as_devices=True)
    assert simulation.tally() == Simulation(survey, pa.table(table), 2 * n, seed=1).tally()


def test_a_missing_column_is_refused_all_the_same() -> None:
    with pytest.raises(hm.DataError, match="column 'battery' is missing"):
        SURVEY.collect({"theme": ["dark"]}, as_devices=True)
