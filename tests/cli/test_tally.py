"""`harmony tally`: files of reports and tallies of one round add up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import harmony as hm

from .conftest import Run

REPORTS = ["reports.parquet", "reports.csv", "reports.ndjson", "reports.jsonl"]


@pytest.mark.parametrize("reports", REPORTS)
@pytest.mark.usefixtures("small_parts")
def test_reports_of_any_format_count_to_the_same_tally(
    run: Run, files: Path, expected: hm.Tally, reports: str
) -> None:
    run("simulate", "phones.yaml", "people.parquet", "-o", reports, "--seed", 7)
    said = run("tally", "phones.yaml", reports, "-o", "out.tally")
    assert said.exit_code == 0, said.stderr
    assert hm.Tally.load(files / "out.tally") == expected


def test_tallies_and_reports_of_a_round_add_up(
    run: Run, files: Path, survey: hm.Survey, people: dict[str, Any]
) -> None:
    week = hm.Round("2026-W46", bytes(16))
    north = survey.collect(people, seed=1, round=week)
    north.save(files / "north.tally")
    south = survey.randomize(people, seed=2, round=week, first=3000)
    parquet.write_table(south, files / "south.parquet")
    said = run("tally", "phones.yaml", "north.tally", "south.parquet", "-o", "all.tally", "--json")
    assert json.loads(said.stdout)["reports"] == 6000
    assert hm.Tally.load(files / "all.tally") == north + survey.tally(south)


def test_a_device_in_two_files_is_refused(run: Run, files: Path) -> None:
    for name in ("one.parquet", "two.csv"):
        run("simulate", "phones.yaml", "people.csv", "-o", name, "--seed", 7)
    said = run("tally", "phones.yaml", "one.parquet", "two.csv", "-o", "out.tally")
    assert said.exit_code == 2
    assert "reported twice" in said.stderr
    assert not (files / "out.tally").exists()


def test_files_of_different_rounds_are_refused(run: Run, files: Path) -> None:
    for seed in (1, 2):
        run("simulate", "phones.yaml", "people.csv", "-o", f"{seed}.tally", "--seed", seed)
    said = run("tally", "phones.yaml", "1.tally", "2.tally", "-o", "out.tally")
    assert said.exit_code == 2
    assert "different rounds" in said.stderr


def test_reports_without_their_round_need_to_be_told_it(
    run: Run, files: Path, survey: hm.Survey, people: dict[str, Any]
) -> None:
    week = hm.Round("2026-W46", bytes(range(16)))
    reports = survey.randomize(people, seed=1, round=week)
    parquet.write_table(reports.replace_schema_metadata(None), files / "bare.parquet")
    words = ("tally", "phones.yaml", "bare.parquet", "-o", "out.tally")
    assert "give --round, --round-seed" in run(*words).stderr
    assert "together" in run(*words, "--round", "2026-W46").stderr
    assert "hexadecimal" in run(*words, "--round", "2026-W46", "--round-seed", "xyz").stderr
    said = run(*words, "--round", "2026-W46", "--round-seed", week.seed.hex())
    assert said.exit_code == 0, said.stderr
    assert hm.Tally.load(files / "out.tally") == survey.tally(reports)
