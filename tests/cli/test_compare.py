"""`harmony compare`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import harmony as hm

from .conftest import Run


@pytest.fixture
def rounds(files: Path, survey: hm.Survey, people: dict[str, Any]) -> hm.Comparison:
    results = []
    for number in (1, 2):
        opened = hm.Round(f"W{number}", bytes([number] * 16))
        tally = survey.collect(people, seed=number, round=opened)
        tally.save(files / f"week{number}.tally")
        results.append(survey.estimate(tally))
    return hm.compare(*results)


def test_differences_equal_the_python_apis(run: Run, files: Path, rounds: hm.Comparison) -> None:
    said = run("compare", "phones.yaml", "week1.tally", "week2.tally", "--json", "-o", "all.csv")
    assert said.exit_code == 0
    assert json.loads(said.stdout) == rounds.to_dict()
    assert (files / "all.csv").read_text() == rounds.to_csv()
    said = run("compare", "phones.yaml", "week1.tally", "week2.tally", "--json", "--top", 1)
    assert json.loads(said.stdout) == rounds.to_dict(top=1)


@pytest.mark.usefixtures("rounds")
def test_the_table_shows_each_difference_with_its_interval(run: Run, files: Path) -> None:
    said = run(
        "compare", "phones.yaml", "week1.tally", "week2.tally", "--save-plot", "c.svg"
    ).stdout
    assert said.splitlines()[0] == "phones W2 against phones W1"
    assert "95% interval" in said
    assert "detectable: how large a change had to be" in said
    assert (files / "c.svg").stat().st_size > 1000


@pytest.mark.usefixtures("rounds")
def test_what_cannot_be_compared_is_said(run: Run, files: Path) -> None:
    other = hm.Survey("tablets", [hm.Boolean("pen"), hm.Boolean("mouse")], 1.0)
    (files / "tablets.json").write_text(json.dumps(other.to_document()))
    other.collect({"pen": [True] * 50, "mouse": [True] * 50}, seed=1).save(files / "t.tally")
    arguments = ("week1.tally", "t.tally", "--after-survey", "tablets.json")
    said = run("compare", "phones.yaml", *arguments)
    assert said.exit_code == 2
    assert "no attribute of the same name" in said.stderr
