"""Columns are counted from their pages as Arrow would count them, or are left to Arrow."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import harmony as hm
from harmony.engines import arrow
from harmony.engines.log import cell_columns, open_log
from harmony.engines.pages import WIDEST, WORD, count_indices

from .logs import SURVEYS, make_survey, write_with_repeats

Way = dict[str, Any]


def written(values: np.ndarray, **way: Any) -> np.ndarray:
    """The pages of a column of these values, and a word more."""
    kind = pa.from_numpy_dtype(values.dtype)
    table = pa.table([values], pa.schema([pa.field("cell", kind, nullable=False)]))
    file = io.BytesIO()
    options: Way = {"compression": "none", "row_group_size": len(values)}
    pq.write_table(table, file, **options | way)
    about = pq.read_metadata(file).row_group(0).column(0)
    first = about.dictionary_page_offset or about.data_page_offset
    raw = np.frombuffer(file.getvalue(), np.uint8)
    return raw[first : first + about.total_compressed_size + WORD]


def found_in(pages: np.ndarray, values: int) -> dict[int, int] | None:
    found = count_indices(pages, values)
    return None if found is None else dict(zip(*(part.tolist() for part in found), strict=True))


@pytest.mark.parametrize("way", [{}, {"data_page_size": 700}, {"store_schema": False}], ids=str)
@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("distinct", [1, 2, 3, 8, 9, 430, 5000, 1 << WIDEST])
def test_every_cell_is_counted(distinct: int, kind: type, way: Way) -> None:
    rng = np.random.default_rng(distinct)
    for size in (1, 7, 8, 9, 503, 504, 505, 4097, 200_001):
        drawn = rng.integers(0, distinct, size).astype(kind)
        long_runs = np.repeat(drawn, rng.integers(1, 40, size))[:size]
        for values in (drawn, np.sort(drawn), long_runs):
            cells, counts = np.unique(values, return_counts=True)
            expected = dict(zip(cells.tolist(), counts.tolist(), strict=True))
            assert found_in(written(values, **way), size) == expected


@pytest.mark.parametrize(
    "way",
    [
        {"use_dictionary": False},
        {"use_dictionary": False, "column_encoding": {"cell": "DELTA_BINARY_PACKED"}},
        {"data_page_version": "2.0"},
        {"dictionary_pagesize_limit": 64},  # the dictionary is given up in the middle
    ],
    ids=str,
)
def test_what_is_written_otherwise_is_left_to_arrow(way: Way) -> None:
    values = np.random.default_rng(1).integers(0, 100, 50_000).astype(np.int32)
    assert found_in(written(values), 50_000)
    assert found_in(written(values, **way), 50_000) is None


def test_a_dictionary_too_large_to_count_by_index_is_left_to_arrow() -> None:
    values = np.arange((1 << WIDEST) + 1, dtype=np.int32)
    assert found_in(written(values), len(values)) is None


def test_damaged_pages_are_never_read_beyond_their_end() -> None:
    """Whatever is found in them adds up to the values that there are; 3,000 fixed damages."""
    rng = np.random.default_rng(2)
    whole = written(rng.integers(0, 300, 2000).astype(np.int32), data_page_size=400)
    for place in range(3000):
        damaged = whole.copy()
        if place % 3 == 0:
            damaged = damaged[: rng.integers(WORD + 1, len(whole))].copy()
        else:
            wrong = rng.integers(0, len(damaged), rng.integers(1, 4))
            damaged[wrong] = rng.integers(0, 256, len(wrong))
        found = count_indices(damaged, 2000)
        assert found is None or found[1].sum() == 2000
    assert found_in(whole, 1999) is None


@pytest.mark.parametrize(
    "way",
    [
        {"compression": "none"},
        {"compression": "zstd"},
        {"compression": "none", "use_dictionary": False},
        {"compression": "none", "data_page_version": "2.0"},
    ],
    ids=str,
)
@pytest.mark.parametrize("nullable", [False, True])
def test_a_log_written_otherwise_counts_the_same(tmp_path: Path, nullable: bool, way: Way) -> None:
    survey = make_survey(SURVEYS["two answers"])
    write_with_repeats(tmp_path, survey)
    expected = arrow.tally(open_log(survey, tmp_path), trusted=True)
    for path in tmp_path.rglob("*.parquet"):
        table = pq.ParquetFile(path).read()
        fields = [field.with_nullable(nullable) for field in table.schema]
        pq.write_table(table.cast(pa.schema(fields, table.schema.metadata)), path, **way)
    log = open_log(survey, tmp_path)
    counted_here = log.pages(log.files[0], 0, cell_columns(survey)[0], WORD) is not None
    assert counted_here == (
        not nullable and way["compression"] == "none" and "use_dictionary" not in way
    )
    assert arrow.tally(log, trusted=True).tally == expected.tally


def test_a_cell_that_the_survey_does_not_have_is_refused_from_its_page(tmp_path: Path) -> None:
    survey = make_survey(SURVEYS["one answer"])
    write_with_repeats(tmp_path, survey)
    path = next(tmp_path.rglob("*.parquet"))
    table = pq.ParquetFile(path).read()
    cells = table["cell_0"].to_numpy().copy()
    cells[:3] = -1, 1_000_000, -1
    field = table.schema.field("cell_0")
    pq.write_table(table.set_column(3, field, [cells]), path, compression="none")
    log = open_log(survey, tmp_path)
    assert all(log.pages(file, 0, "cell_0", WORD) is not None for file in log.files)
    with pytest.raises(hm.TallyError, match="3 answers lie in no cell"):
        arrow.tally(log, trusted=True)
