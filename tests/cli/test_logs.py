"""Logs on the command line: simulate or export into one, count it, simulate any number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import harmony as hm

from .conftest import Run


@pytest.mark.parametrize("engine", ["arrow", "duckdb"])
def test_a_simulated_log_counts_to_the_python_apis_tally(
    run: Run, files: Path, survey: hm.Survey, people: dict[str, Any], engine: str
) -> None:
    run("simulate", "phones.yaml", "people.csv", "-o", "logs", "--seed", 7)
    said = run("tally", "phones.yaml", "logs", "-o", "out.tally", "--engine", engine)
    assert said.exit_code == 0, said.stderr
    assert said.stdout == "3,000 reports of phones, round simulation -> out.tally\n"
    assert hm.Tally.load(files / "out.tally") == survey.collect(people, seed=7)


def test_reports_exported_twice_count_once(
    run: Run, files: Path, survey: hm.Survey, people: dict[str, Any]
) -> None:
    run("simulate", "phones.yaml", "people.csv", "-o", "reports.csv", "--seed", 7)
    for day in ("2026-11-09", "2026-11-10"):
        said = run("export", "phones.yaml", "reports.csv", "-o", "logs", "--day", day)
        assert said.stdout == "3,000 reports of phones, round simulation -> logs\n", said.stderr
    assert (files / "logs/survey=phones/round=simulation/day=2026-11-10").is_dir()
    said = run("tally", "phones.yaml", "logs", "-o", "out.tally", "--json")
    assert json.loads(said.stdout)["duplicates"] == 3000
    assert "3,000 reports of devices that had reported before were left out" in said.stderr
    assert hm.Tally.load(files / "out.tally") == survey.collect(people, seed=7)
    said = run("tally", "phones.yaml", "logs", "-o", "out.tally", "--trusted")
    assert said.stdout.startswith("6,000 reports")


def test_devices_take_the_rows_in_turn(
    run: Run, files: Path, survey: hm.Survey, people: dict[str, Any]
) -> None:
    words = ("simulate", "phones.yaml", "people.csv", "--seed", 7, "--devices")
    assert run(*words, "7e3", "-o", "out.tally").exit_code == 0
    whole = survey.collect(people, seed=7) + survey.collect(people, seed=7, first=3000)
    rest = {name: values[:1000] for name, values in people.items()}
    expected = whole + survey.collect(rest, seed=7, first=6000)
    assert hm.Tally.load(files / "out.tally") == expected
    assert run(*words, 7000, "-o", "logs").exit_code == 0
    run("tally", "phones.yaml", "logs", "-o", "again.tally")
    assert hm.Tally.load(files / "again.tally") == expected


def test_people_are_invented_where_there_is_no_data(run: Run, files: Path) -> None:
    for name in ("one.tally", "two.tally"):
        words = ("simulate", "phones.yaml", "-o", name, "--devices", "1e5", "--seed", 3)
        said = run(*words)
        assert said.exit_code == 0, said.stderr
    assert hm.Tally.load(files / "one.tally") == hm.Tally.load(files / "two.tally")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("simulate", "phones.yaml", "-o", "x.tally"), "--devices"),
        (("simulate", "phones.yaml", "-o", "x.tally", "--devices", "many"), "whole number"),
        (("simulate", "phones.yaml", "-o", "x.tally", "--devices", "0"), "'devices' must be"),
        (("simulate", "phones.yaml", "-o", "x.tally", "--devices", "2.5"), "whole number"),
        (("simulate", "phones.yaml", "-o", "x", "--devices", "9", "--engine", "spark"), ".tally"),
        (("simulate", "phones.yaml", "-o", "x", "--devices", "9", "--engine", "no"), "one of"),
        (("tally", "phones.yaml", "logs", "-o", "x.tally"), "no reports of any round"),
        (("tally", "phones.yaml", "logs", "more", "-o", "x.tally"), "by itself"),
        (("tally", "phones.yaml", "logs", "-o", "x.tally", "--engine", "abacus"), "one of arrow"),
        (("tally", "phones.yaml", "x.parquet", "-o", "x.tally", "--trusted"), "for a log"),
        (("export", "phones.yaml", "people.parquet", "-o", "logs"), "column 'device' is missing"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    run: Run, files: Path, words: tuple[str, ...], problem: str
) -> None:
    (files / "logs").mkdir()
    said = run(*words)
    assert said.exit_code == 2
    assert problem in said.stderr
    assert said.stderr.count("\n") <= 2
