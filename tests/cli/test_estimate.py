"""`harmony estimate`."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import harmony as hm

from .conftest import Run


@pytest.fixture
def tally(files: Path, survey: hm.Survey, people: dict[str, Any]) -> hm.Tally:
    counted = survey.collect(people, seed=7)
    counted.save(files / "week.tally")
    return counted


def test_estimates_equal_the_python_apis(run: Run, survey: hm.Survey, tally: hm.Tally) -> None:
    said = run("estimate", "phones.yaml", "week.tally", "--json")
    assert said.exit_code == 0
    assert json.loads(said.stdout) == survey.estimate(tally).to_dict()


def test_the_whole_way_equals_the_python_api(
    run: Run, files: Path, survey: hm.Survey, people: dict[str, Any]
) -> None:
    run("simulate", "phones.yaml", "people.csv", "-o", "reports.parquet", "--seed", 7)
    run("tally", "phones.yaml", "reports.parquet", "-o", "week.tally")
    said = run("estimate", "phones.yaml", "week.tally", "--json", "--confidence", 0.9)
    expected = survey.estimate(survey.collect(people, seed=7)).to_dict(0.9)
    assert json.loads(said.stdout) == expected


def test_reports_can_be_estimated_at_once(
    run: Run, files: Path, survey: hm.Survey, tally: hm.Tally
) -> None:
    run("simulate", "phones.yaml", "people.csv", "-o", "reports.parquet", "--seed", 7)
    said = run("estimate", "phones.yaml", "reports.parquet", "--json")
    assert json.loads(said.stdout) == survey.estimate(tally).to_dict()


@pytest.mark.usefixtures("tally")
def test_the_table_shows_each_estimate_with_its_interval(run: Run) -> None:
    said = run("estimate", "phones.yaml", "week.tally", "--confidence", 0.99).stdout
    assert "phones, round simulation: 3,000 reports, epsilon 1" in said
    assert "99% interval" in said
    lines = [line.split() for line in said.splitlines()]
    assert ["battery", "mean"] in [line[:2] for line in lines]
    assert [line[0] for line in lines if line].count("dark") == 1


@pytest.mark.usefixtures("tally")
def test_plots_draw_a_bar_for_each_estimate(run: Run) -> None:
    said = run("estimate", "phones.yaml", "week.tally", "--plot").stdout
    rows = [line.split() for line in said.splitlines() if "#" in line]
    bars = {words[-1] for words in rows}
    assert len(rows) == 9
    assert all(set(bar) == {"#"} for bar in bars)
    assert len(bars) > 1


def test_too_few_reports_say_so(run: Run, files: Path, survey: hm.Survey) -> None:
    few = {"battery": [5.0], "theme": ["dark"], "wifi": [True], "sims": [1]}
    survey.collect(few, seed=7).save(files / "few.tally")
    said = run("estimate", "phones.yaml", "few.tally")
    assert said.exit_code == 0
    assert said.stdout.count("too few reports to say") == 4


def test_long_histograms_show_their_most_frequent_values(run: Run, tmp_path: Path) -> None:
    wide = hm.Survey("wide", [hm.Integer("n", 0, 99)], epsilon=8.0)
    wide.save(tmp_path / "wide.json")
    wide.collect({"n": [77] * 5000}, seed=7).save(tmp_path / "wide.tally")
    said = run("estimate", "wide.json", "wide.tally").stdout
    assert "and 84 rarer values" in said
    first = said.splitlines()[4]
    assert first.split()[:2] == ["n", "77"]


@pytest.mark.parametrize("out", ["e.json", "e.csv", "e.parquet"])
def test_estimates_are_written_whole(
    run: Run, files: Path, survey: hm.Survey, tally: hm.Tally, out: str
) -> None:
    assert f"9 estimates -> {out}" in run("estimate", "phones.yaml", "week.tally", "-o", out).stdout
    if out == "e.json":
        written = json.loads((files / out).read_text())["estimates"]
    elif out == "e.csv":
        written = list(csv.DictReader((files / out).read_text().splitlines()))
    else:
        written = parquet.read_table(files / out).to_pylist()
    expected = survey.estimate(tally).to_dict()["estimates"]
    assert [float(row["estimate"]) for row in written] == [row["estimate"] for row in expected]


@pytest.mark.usefixtures("tally")
def test_another_surveys_tally_is_refused(run: Run, files: Path) -> None:
    hm.Survey("other", [hm.Boolean("wifi")], epsilon=1.0).save(files / "other.json")
    said = run("estimate", "other.json", "week.tally")
    assert said.exit_code == 2
    assert "belongs to another survey" in said.stderr


@pytest.mark.usefixtures("tally")
@pytest.mark.parametrize(
    ("words", "fix"),
    [
        (("--confidence", "2"), "between 0 and 1"),
        (("--weighting", "luck"), "devices, precision"),
        (("-o", "e.txt"), ".json or .csv or .parquet"),
    ],
)
def test_bad_options_tell_the_fix(run: Run, words: tuple[str, str], fix: str) -> None:
    said = run("estimate", "phones.yaml", "week.tally", *words)
    assert said.exit_code == 2
    assert fix in said.stderr


def test_what_is_no_tally_is_refused(run: Run, files: Path) -> None:
    (files / "junk.tally").write_text("junk")
    said = run("estimate", "phones.yaml", "junk.tally")
    assert said.exit_code == 2
    assert said.stderr == "error: junk.tally: is not a tally file\n"


def test_the_estimates_can_be_saved_as_a_plot(run: Run, files: Path, tally: hm.Tally) -> None:
    said = run("estimate", "phones.yaml", "week.tally", "--save-plot", "week.svg")
    assert said.exit_code == 0, said.stderr
    drawn = (files / "week.svg").read_text()
    assert drawn.startswith("<?xml")
    assert run("estimate", "phones.yaml", "week.tally", "--save-plot", "no/x.svg").exit_code == 2


def test_strata_are_weighed_to_a_population(
    run: Run, files: Path, survey: hm.Survey, people: dict[str, Any]
) -> None:
    opened = hm.Round("W1", bytes(16))
    strata = {
        f"{name}.tally": survey.collect(people, seed=seed, first=seed * 3000, round=opened)
        for seed, name in enumerate(["old", "new"])
    }
    for name, one in strata.items():
        one.save(files / name)
    shares = {"old.tally": 0.25, "new.tally": 0.75}
    (files / "shares.json").write_text(json.dumps(shares))
    command = ("estimate", "phones.yaml", *strata, "--population", "shares.json")
    expected = survey.estimate(strata, population=shares)
    assert json.loads(run(*command, "--json").stdout) == expected.to_dict()
    assert "weighted to 2 strata" in run(*command).stdout
    said = run("estimate", "phones.yaml", "old.tally", "--population", "shares.json")
    assert said.exit_code == 2
    assert "there is no tally of 'new.tally'" in said.stderr
