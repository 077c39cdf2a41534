"""`harmony plan`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import harmony as hm

from .conftest import Run


def test_a_plan_equals_the_python_apis(run: Run, files: Path, survey: hm.Survey) -> None:
    said = run("plan", "phones.yaml", "--devices", 100_000, "--json")
    expected = json.loads(survey.plan(devices=100_000).to_json())
    assert json.loads(said.stdout) == expected


def test_an_error_says_how_many_devices_it_needs(run: Run, files: Path, survey: hm.Survey) -> None:
    said = run("plan", "phones.yaml", "--error", 0.01, "--confidence", 0.9).stdout
    needed = survey.plan(error=0.01, confidence=0.9).devices
    assert said.startswith(f"phones: {needed:,} devices at epsilon 1, 90% intervals")
    assert "of the range" in said


@pytest.mark.parametrize(
    "words", [(), ("--devices", 5, "--error", 0.1), ("--error", 3), ("--devices", 0)]
)
def test_bad_questions_are_refused(run: Run, files: Path, words: tuple[object, ...]) -> None:
    said = run("plan", "phones.yaml", *words)
    assert said.exit_code == 2
    assert said.stderr.startswith("error: ")


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_the_plot_can_be_saved(run: Run, files: Path, ending: str) -> None:
    said = run("plan", "phones.yaml", "--devices", 5000, "--save-plot", f"errors.{ending}")
    assert said.exit_code == 0, said.stderr
    assert (files / f"errors.{ending}").stat().st_size > 1000
    assert run("plan", "phones.yaml", "--devices", 5, "--save-plot", "errors.txt").exit_code == 2


def test_a_plan_with_rotation_says_what_a_round_hears(run: Run, files: Path) -> None:
    survey = hm.Survey("weekly", [hm.Boolean("wifi")], 1.0, every=4)
    survey.save(files / "weekly.yaml", tables=False)
    said = run("plan", "weekly.yaml", "--devices", 100_000).stdout
    assert "each round hears a quarter of the devices, about 25,000; 4 rounds together" in said
    assert "4 rounds" in said.splitlines()[3]
    planned = json.loads(run("plan", "weekly.yaml", "--devices", 100_000, "--json").stdout)
    assert planned["window"][0]["error"] < 0.5 * planned["errors"][0]["error"]


def test_devices_are_counted_in_the_short_form_too(run: Run, files: Path) -> None:
    long, short = (run("plan", "phones.yaml", "--devices", one) for one in ("50000", "5e4"))
    assert short.exit_code == 0, short.stderr
    assert short.stdout == long.stdout
    for none in ("many", "1.5", "nan", "inf"):
        said = run("plan", "phones.yaml", "--devices", none)
        assert (said.exit_code, "--devices must be a whole number" in said.stderr) == (2, True)
