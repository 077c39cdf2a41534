"""`harmony simulate`: the same numbers as the Python API, from any file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import harmony as hm
from harmony.cli import data_files

from .conftest import Run

DATA = ["people.csv", "people.tsv", "people.parquet", "people.json", "people.ndjson"]


@pytest.mark.parametrize("data", DATA)
def test_a_tally_from_any_format_equals_the_python_apis(
    run: Run, files: Path, expected: hm.Tally, data: str
) -> None:
    said = run("simulate", "phones.yaml", data, "-o", "out.tally", "--seed", 7)
    assert said.exit_code == 0, said.stderr
    assert said.stdout == "3,000 reports of phones, round simulation, epsilon 1 -> out.tally\n"
    assert hm.Tally.load(files / "out.tally") == expected


@pytest.mark.parametrize("data", ["people.csv", "people.parquet", "people.ndjson"])
@pytest.mark.usefixtures("small_parts")
def test_reading_in_parts_changes_nothing(
    run: Run, files: Path, expected: hm.Tally, data: str
) -> None:
    assert len(list(data_files.read_parts(files / data, {"battery": pa.float64()}))) > 1
    run("simulate", "phones.yaml", data, "-o", "out.tally", "--seed", 7)
    assert hm.Tally.load(files / "out.tally") == expected


def test_parquet_reports_are_those_of_the_python_api(
    run: Run, files: Path, survey: hm.Survey, people: dict[str, Any]
) -> None:
    run("simulate", "phones.yaml", "people.csv", "-o", "reports.parquet", "--seed", 7)
    written = parquet.read_table(files / "reports.parquet")
    assert written.equals(survey.randomize(people, seed=7), check_metadata=False)
    assert survey.tally(written) == survey.collect(people, seed=7)


def test_without_a_seed_no_two_runs_are_alike(run: Run, files: Path) -> None:
    for name in ("one.tally", "two.tally"):
        assert run("simulate", "phones.yaml", "people.csv", "-o", name).exit_code == 0
    one, two = hm.Tally.load(files / "one.tally"), hm.Tally.load(files / "two.tally")
    assert one.round.seed != two.round.seed
    assert not np.array_equal(one.counts, two.counts)


def test_the_round_has_the_label_it_is_given(run: Run, files: Path) -> None:
    words = ("simulate", "phones.yaml", "people.csv", "-o", "out.tally", "--round", "2026-W46")
    said = run(*words, "--json")
    summary = json.loads(said.stdout)
    assert (summary["round"], summary["reports"]) == ("2026-W46", 3000)
    assert hm.Tally.load(files / "out.tally").round.label == "2026-W46"


def test_clipped_numbers_are_counted_over_the_whole_file(
    run: Run, files: Path, small_parts: None, people: dict[str, Any]
) -> None:
    battery = people["battery"] + 30
    parquet.write_table(pa.table(people | {"battery": battery}), files / "high.parquet")
    said = run("simulate", "phones.yaml", "high.parquet", "-o", "out.tally", "--json")
    assert json.loads(said.stdout)["clipped"] == {"battery": int((battery > 100).sum())}
    assert "battery" in said.stderr
    assert "clipped" in said.stderr


def test_strict_refuses_what_would_be_clipped_and_writes_nothing(
    run: Run, files: Path, people: dict[str, Any]
) -> None:
    table = pa.table(people | {"battery": people["battery"] + 30})
    parquet.write_table(table, files / "high.parquet")
    for out in ("out.tally", "out.parquet"):
        said = run("simulate", "phones.yaml", "high.parquet", "-o", out, "--strict")
        assert said.exit_code == 2
        assert "outside its range" in said.stderr
        assert not list(files.glob("*out.*"))


def test_empty_fields_are_missing_values(run: Run, files: Path) -> None:
    rows = "\n".join(["battery,theme,wifi,sims", "50,,true,1", "20,dark,false,0"])
    (files / "gaps.csv").write_text(rows)
    assert run("simulate", "phones.yaml", "gaps.csv", "-o", "out.tally").exit_code == 0


def test_a_value_called_na_is_a_value(run: Run, tmp_path: Path) -> None:
    country = hm.Survey("c", [hm.Categorical("country", ["NA", "DE"])], epsilon=1.0)
    country.save(tmp_path / "c.json")
    (tmp_path / "people.csv").write_text("country\nNA\nDE\nNA\n")
    run("simulate", "c.json", "people.csv", "-o", "out.tally", "--seed", 7)
    expected = country.collect({"country": ["NA", "DE", "NA"]}, seed=7)
    assert hm.Tally.load(tmp_path / "out.tally") == expected


def test_tiers_come_from_their_column(run: Run, tmp_path: Path) -> None:
    tiered = hm.Survey("t", [hm.Boolean("wifi")], tiers=[0.5, 2.0])
    tiered.save(tmp_path / "t.json")
    (tmp_path / "people.csv").write_text("wifi,choice\ntrue,0\nfalse,1\ntrue,1\n")
    words = ("simulate", "t.json", "people.csv", "-o", "out.tally")
    assert "column 'tier' is missing" in run(*words).stderr
    assert run(*words, "--tier-column", "choice").exit_code == 0
    assert hm.Tally.load(tmp_path / "out.tally").tier_reports == (1, 2)
