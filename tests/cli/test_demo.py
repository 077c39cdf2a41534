"""`harmony demo`: what a newcomer sees first."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from harmony.demo import fleet_survey, fleet_truth, run_demo, simulate_fleet

from .conftest import Run


def test_the_report_reads_well_and_covers_the_truth(run: Run) -> None:
    said = run("demo", "--devices", 20_000, "--seed", 7)
    assert said.exit_code == 0, said.stderr
    shown = said.stdout
    assert shown.startswith("Harmony: 20,000 phones, and nobody's data")
    for heading in ("What was asked", "What one phone revealed", "What the fleet revealed"):
        assert heading in shown
    assert "30 intervals of 95%: about 1.5 should miss the truth" in shown
    assert "PASS  exact audit of 7 tables" in shown
    assert max(map(len, shown.splitlines())) <= 90


def test_intervals_miss_about_as_often_as_they_say(run: Run) -> None:
    """With 30 intervals of 95%, more than 7 miss once in 5,000 runs."""
    shown = json.loads(run("demo", "--devices", 20_000, "--seed", 7, "--json").stdout)
    assert shown["intervals"] == 30
    assert shown["missed"] == sum(not row["covers"] for row in shown["estimates"]) <= 7
    assert shown["audit"]["epsilon"] <= 1.0


def test_a_seed_repeats_the_demo(run: Run) -> None:
    first, again = (
        json.loads(run("demo", "--devices", 500, "--seed", 3, "--json").stdout) for _ in range(2)
    )
    assert first["estimates"] == again["estimates"]
    assert first["one_device"] == again["one_device"]


def test_one_phones_chances_keep_epsilon() -> None:
    for epsilon in (0.5, 4.0):
        done = run_demo(100, epsilon, seed=5)
        ratio = 1.0
        for answer in done.answers:
            ratio *= answer.most / answer.least
        assert len(done.answers) == done.survey.answers
        assert ratio <= 2.718281828459046**epsilon


def test_a_single_phone_is_too_few_to_say(run: Run) -> None:
    said = run("demo", "--devices", 1, "--seed", 1)
    assert said.exit_code == 0, said.stderr
    assert said.stdout.count("too few reports to say") == 7
    strict = {"parse_constant": lambda word: pytest.fail(f"{word} is no JSON")}
    json.loads(run("demo", "--devices", 1, "--seed", 1, "--json").stdout, **strict)


@pytest.mark.parametrize("words", [("--devices", 0), ("--epsilon", 99), ("--devices", "many")])
def test_absurd_wishes_are_refused(run: Run, words: tuple[object, ...]) -> None:
    assert run("demo", *words).exit_code == 2


def test_the_fleet_fits_its_survey_and_hangs_together() -> None:
    fleet = simulate_fleet(20_000, seed=7)
    survey = fleet_survey(1.0)
    survey.collect(fleet, seed=7, strict=True)
    maker = fleet_truth(survey.attributes[-1], fleet["maker"])
    assert maker["Alder"] > 5 * maker["Pine"]
    dark = fleet["theme"].indices.to_numpy() == 1
    assert fleet["brightness"][dark].mean() < fleet["brightness"][~dark].mean() - 5


def test_a_pipe_gets_plain_text() -> None:
    words = [sys.executable, "-m", "harmony.cli", "demo", "--devices", "300", "--seed", "7"]
    said = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "\x1b" not in said.stdout
    assert said.stderr == ""
