"""`harmony demo`: what a newcomer sees first, over real HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import harmony as hm
from harmony.demo import fleet_survey, fleet_truth, simulate_fleet
from harmony.demo.revealed import read_report

from .conftest import Run

HARMONY = [sys.executable, "-m", "harmony.cli"]


@pytest.fixture(scope="module")
def fleet_of_20000() -> Any:
    """What `harmony demo --devices 20000 --no-open` found, for programs."""
    words = [*HARMONY, "demo", "--devices", "20000", "--no-open", "--seed", "7", "--json"]
    said = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)


def test_intervals_miss_about_as_often_as_they_say(fleet_of_20000: Any) -> None:
    """Of the 30 intervals (95%) more than 8 miss less than once in 5,000 runs: most of 1,500, 7."""
    shown = fleet_of_20000
    assert shown["intervals"] == len(shown["estimates"]) == 30
    for row in shown["estimates"]:
        assert row["covers"] == (row["low"] <= row["truth"] <= row["high"])
    assert shown["missed"] == sum(not row["covers"] for row in shown["estimates"]) <= 8
    assert shown["audit"]["epsilon"] <= 1.0


def test_every_phone_was_heard_once_and_second_answers_refused(fleet_of_20000: Any) -> None:
    outcomes = fleet_of_20000["outcomes"]
    assert outcomes["accepted"] == 20_000
    assert fleet_of_20000["singles"] == 1_000
    assert outcomes["duplicate"] + outcomes["conflict"] == 220
    assert 200 <= outcomes["duplicate"] < 220
    assert sum(row["n"] for row in fleet_of_20000["estimates"] if row["value"] is None) > 0


def test_the_first_phone_reads_in_its_ledger_what_it_spent(fleet_of_20000: Any) -> None:
    revealed = fleet_of_20000["one_device"]
    (answer,) = revealed["answers"]
    survey, training = revealed["ledger"]
    assert survey.endswith(f"phone-fleet now: epsilon 1 on {answer['attribute']}, accepted")
    assert "system-errors:1: epsilon 1 on" in training
    assert 0 < answer["least"] <= answer["most"] <= 2.718281828459046 * answer["least"]


def test_the_model_beats_the_commoner_answer(fleet_of_20000: Any) -> None:
    training = fleet_of_20000["training"]
    assert training["devices"] >= 20_000 * 0.9
    assert training["majority"] + 0.1 < training["accuracy"] <= training["without_privacy"] + 0.01
    assert training["model"]["weights"].keys() == {"battery use", "memory use", "app use"}


def test_the_report_reads_well_in_a_pipe() -> None:
    words = [*HARMONY, "demo", "--devices", "300", "--no-open"]
    environment = os.environ | {"COLUMNS": "90"}
    said = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    shown = said.stdout
    assert "\x1b" not in shown
    assert shown.startswith("Harmony: 300 phones, and nobody's data")
    for heading in (
        "What was asked", "What came in over HTTP", "What one phone revealed",
        "What the fleet revealed",
    ):  # fmt: skip
        assert heading in shown
    assert "30 intervals of 95%: about 1.5 should miss the truth" in shown
    assert "PASS  exact audit of 7 tables" in shown
    assert max(map(len, shown.splitlines())) <= 90
    assert said.stderr.startswith("Dashboard (this link signs you in, once): http://127.0.0.1:")


def test_a_single_phone_is_too_few_to_say(run: Run) -> None:
    said = run("demo", "--devices", 1, "--no-open")
    assert said.exit_code == 0, said.stderr
    assert said.stdout.count("too few reports to say") == 7


def test_ctrl_c_ends_it_cleanly(tmp_path: Path) -> None:
    words = [*HARMONY, "demo", "--devices", "100", "--no-open", "--keep"]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment,
                          stdout=subprocess.DEVNULL) as kept:  # fmt: skip
        assert kept.stderr is not None
        for line in kept.stderr:
            if "runs until Ctrl-C" in line:
                break
        kept.send_signal(signal.SIGINT)
        rest = kept.stderr.read()
        assert kept.wait(60) == 130
    assert "Stopped" in rest
    assert "Traceback" not in rest
    assert not list(tmp_path.glob("harmony-*"))


@pytest.mark.parametrize("words", [("--devices", 0), ("--epsilon", 99), ("--devices", "many")])
def test_absurd_wishes_are_refused(run: Run, words: tuple[object, ...]) -> None:
    assert run("demo", *words).exit_code == 2


def test_one_phones_chances_keep_epsilon() -> None:
    for epsilon in (0.5, 4.0):
        survey, opened = fleet_survey(epsilon), hm.Round("now", bytes(range(16)))
        fleet = simulate_fleet(1, seed=5)
        report = survey.randomize(fleet, seed=5, round=opened).to_pylist()[0]
        symbols = bytes(report[f"symbol_{place}"] for place in range(survey.answers))
        answers = read_report(survey, opened, report["device"] + b"\0" + symbols)
        ratio = 1.0
        for answer in answers:
            ratio *= answer.most / answer.least
        assert len(answers) == survey.answers
        assert ratio <= 2.718281828459046**epsilon


def test_the_fleet_fits_its_survey_and_hangs_together() -> None:
    fleet = simulate_fleet(20_000, seed=7)
    survey = fleet_survey(1.0)
    survey.collect(fleet, seed=7, strict=True)
    maker = fleet_truth(survey.attributes[-1], fleet["maker"])
    assert maker["Alder"] > 5 * maker["Pine"]
    dark = fleet["theme"].indices.to_numpy() == 1
    assert fleet["brightness"][dark].mean() < fleet["brightness"][~dark].mean() - 5
