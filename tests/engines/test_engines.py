"""Every engine on this machine counts a log to the same integers, and refuses a bad one."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import harmony as hm
from harmony.engines import LogWriter, tally_log, unique, writing
from harmony.engines.log import open_log

from .logs import DAYS, ROUND, SURVEYS, make_survey, reports_of, write_with_repeats

LOCAL = ("arrow", "duckdb")


@pytest.mark.parametrize("engine", LOCAL)
@pytest.mark.parametrize("options", SURVEYS.values(), ids=SURVEYS.keys())
def test_a_devices_first_report_counts_and_the_others_are_numbered(
    tmp_path: Path, options: dict, engine: str
) -> None:
    survey = make_survey(options)
    expected, repeats = write_with_repeats(tmp_path, survey)
    counted = tally_log(survey, tmp_path, engine=engine)
    assert counted.tally == expected
    assert counted.duplicates == repeats


@pytest.mark.parametrize("engine", LOCAL)
@pytest.mark.parametrize("options", SURVEYS.values(), ids=SURVEYS.keys())
def test_a_trusted_log_is_counted_as_it_is(tmp_path: Path, options: dict, engine: str) -> None:
    survey = make_survey(options)
    reports = reports_of(survey, 0, 4000, 1)
    with LogWriter(tmp_path, survey, ROUND) as log:
        log.write_table(reports)
    counted = tally_log(survey, tmp_path, engine=engine, trusted=True)
    assert counted.tally == survey.tally(reports)
    assert counted.duplicates == 0


@pytest.mark.parametrize("engine", LOCAL)
def test_reports_with_one_number_are_ordered_by_their_cells(tmp_path: Path, engine: str) -> None:
    """Two writers that do not know of each other may give the same numbers."""
    survey = make_survey({"epsilon": 1.0})
    for seed in (1, 2, 3):
        with LogWriter(tmp_path, survey, ROUND, DAYS[0], first=0) as log:
            log.write_table(reports_of(survey, 0, 1000, seed))
    cells = np.stack(
        [pq.read_table(path)["cell_0"].to_numpy() for path in tmp_path.rglob("*.parquet")]
    )
    counted = tally_log(survey, tmp_path, engine=engine)
    lowest = np.bincount(cells.min(axis=0), minlength=len(counted.tally.counts))
    assert counted.tally.counts.tolist() == lowest.tolist()
    assert counted.duplicates == 2000


def test_many_passes_over_a_long_log_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = make_survey({"epsilon": 1.0})
    monkeypatch.setattr(writing, "GROUP_ROWS", 600)
    monkeypatch.setattr(writing, "FILE_ROWS", 1500)
    expected, repeats = write_with_repeats(tmp_path, survey)
    assert len(list(tmp_path.rglob("*.parquet"))) > 3
    monkeypatch.setattr(unique, "passes", lambda reports: 5)
    counted = tally_log(survey, tmp_path)
    assert counted.tally == expected
    assert counted.duplicates == repeats


def test_equal_marks_of_different_devices_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = make_survey({"epsilon": 1.0})
    expected, repeats = write_with_repeats(tmp_path, survey)
    monkeypatch.setattr(unique, "marks", lambda low, high: low % np.uint64(50))
    counted = tally_log(survey, tmp_path)
    assert counted.tally == expected
    assert counted.duplicates == repeats


def test_the_arrow_engine_recomputes_the_coins(tmp_path: Path) -> None:
    """A log whose cells another round's coins gave is refused, unless it is trusted."""
    survey = make_survey({"epsilon": 1.0})
    with LogWriter(tmp_path, survey, ROUND, DAYS[0]) as log:
        log.write_table(reports_of(survey, 0, 1000, 1))
    (path,) = tmp_path.rglob("*.parquet")
    table = pq.read_table(path)
    turned = pa.chunked_array([np.roll(table["cell_0"].to_numpy(), 1)])
    pq.write_table(table.set_column(3, table.schema.field("cell_0"), turned), path)
    assert tally_log(survey, tmp_path, trusted=True).tally.reports == 1000
    with pytest.raises(hm.TallyError, match="not those of the round's coins"):
        tally_log(survey, tmp_path)


@pytest.mark.parametrize("trusted", [True, False])
@pytest.mark.parametrize("engine", LOCAL)
def test_a_cell_that_the_survey_does_not_have_is_refused(
    tmp_path: Path, engine: str, trusted: bool
) -> None:
    survey = make_survey({"epsilon": 1.0})
    with LogWriter(tmp_path, survey, ROUND, DAYS[0]) as log:
        log.write_table(reports_of(survey, 0, 1000, 1))
    (path,) = tmp_path.rglob("*.parquet")
    table = pq.read_table(path)
    cells = table["cell_0"].to_numpy().copy()
    cells[:2] = -1, 1_000_000
    field = table.schema.field("cell_0")
    pq.write_table(table.set_column(3, field, pa.chunked_array([cells])), path)
    with pytest.raises(hm.TallyError, match="2 answers lie in no cell"):
        tally_log(survey, tmp_path, engine=engine, trusted=trusted)


def test_a_round_must_be_chosen_where_there_are_several(tmp_path: Path) -> None:
    survey = make_survey({"epsilon": 1.0})
    for label in ("w1", "w2"):
        with LogWriter(tmp_path, survey, hm.Round(label, bytes(16))) as log:
            log.write_table(survey.randomize(people(10), round=hm.Round(label, bytes(16))))
    with pytest.raises(hm.TallyError, match="holds the rounds w1, w2; choose one"):
        tally_log(survey, tmp_path)
    assert tally_log(survey, tmp_path, "w2").tally.round.label == "w2"
    with pytest.raises(hm.TallyError, match="no reports of round 'w3'"):
        tally_log(survey, tmp_path, "w3")


def test_files_of_another_survey_or_seed_or_of_no_log_are_refused(tmp_path: Path) -> None:
    survey, other = make_survey({"epsilon": 1.0}), make_survey({"epsilon": 2.0})
    for root, writer, round_ in (("a", other, ROUND), ("b", survey, ROUND)):
        with LogWriter(tmp_path / root, writer, round_) as log:
            log.write_table(writer.randomize(people(10), round=round_))
    with pytest.raises(hm.TallyError, match="belongs to another survey"):
        tally_log(survey, tmp_path / "a")
    again = hm.Round(ROUND.label, bytes(16))
    with LogWriter(tmp_path / "b", survey, again) as log:
        log.write_table(survey.randomize(people(10), round=again))
    with pytest.raises(hm.TallyError, match="different seeds"):
        tally_log(survey, tmp_path / "b")
    with pytest.raises(hm.TallyError, match="holds no reports of any round"):
        tally_log(survey, tmp_path / "nowhere")
    (tmp_path / "a").rename(tmp_path / "c")
    (path,) = (tmp_path / "c").rglob("*.parquet")
    path.write_bytes(b"PAR1 not really")
    with pytest.raises(hm.TallyError, match="damaged, or not a Parquet file"):
        tally_log(survey, tmp_path / "c")


def test_a_writer_that_fails_leaves_no_file(tmp_path: Path) -> None:
    survey = make_survey({"epsilon": 1.0})

    def write_and_fail() -> None:
        with LogWriter(tmp_path, survey, ROUND) as log:
            log.write_table(reports_of(survey, 0, 1000, 1))
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        write_and_fail()
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_log_says_every_report_again(tmp_path: Path) -> None:
    """Numbers run on over the files of a day, and cells tell the symbols."""
    survey = make_survey({"epsilon": 1.0})
    first, second = reports_of(survey, 0, 500, 1), reports_of(survey, 500, 500, 2)
    for part in (first, second):
        with LogWriter(tmp_path, survey, ROUND, DAYS[0]) as log:
            log.write_table(part)
    log = open_log(survey, tmp_path)
    assert log.rows == 1000
    numbers = [pq.read_table(file.path)["number"].to_pylist() for file in log.files]
    assert sorted(chain(*numbers)) == list(range(1000))
    assert {file.day for file in log.files} == {"2026-11-09"}


def people(count: int) -> dict[str, list]:
    return {"battery": [50.0] * count, "theme": ["dark"] * count, "sims": [3] * count}
