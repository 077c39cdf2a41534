"""`harmony demo`: what a newcomer sees first, over real HTTP."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import harmony as hm
from harmony.demo import fleet_survey, fleet_truth, simulate_fleet
from harmony.demo.revealed import read_report
from tests.service.waiting import STUCK_SECONDS

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
    first, second = said.stderr.splitlines()[:2]
    assert first == "Harmony: a server of your own, and 300 invented phones to report to it"
    assert second.startswith("Dashboard (this link signs you in, once): http://127.0.0.1:")
    assert "Ctrl-C" not in said.stderr, "without a terminal it ends by itself"


def test_a_single_phone_is_too_few_to_say(run: Run) -> None:
    said = run("demo", "--devices", 1, "--no-open")
    assert said.exit_code == 0, said.stderr
    assert said.stdout.count("too few reports to say") == 7


def test_ctrl_c_ends_it_cleanly(tmp_path: Path) -> None:
    words = [*HARMONY, "demo", "--devices", "200000", "--no-open"]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment,
                          stdout=subprocess.DEVNULL) as cut:  # fmt: skip
        assert cut.stderr is not None
        for line in cut.stderr:
            if "Dashboard" in line:
                break
        cut.send_signal(signal.SIGINT)
        rest = cut.stderr.read()
        assert cut.wait(STUCK_SECONDS) == 130
    assert "Stopped" in rest
    assert "Traceback" not in rest
    assert not list(tmp_path.glob("harmony-*"))


class Terminal:
    """A program on a pseudo-terminal, and all that it has said."""

    def __init__(self, words: list[str], folder: Path) -> None:
        self._screen, theirs = os.openpty()
        environment = os.environ | {"TMPDIR": str(folder), "COLUMNS": "200", "TERM": "xterm"}
        self.process = subprocess.Popen(
            words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment,
            start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self.said = ""

    def read(self, until: str) -> None:
        """Read what the program says, until it has said this or has ended."""
        while until not in self.said:
            try:
                self.said += os.read(self._screen, 1 << 16).decode(errors="replace")
            except OSError:  # the program has closed its side
                break
        assert until in self.said, self.said[-2000:]

    def close(self) -> None:
        os.close(self._screen)


def test_on_a_terminal_it_stays_up_and_invites(tmp_path: Path) -> None:
    words = [*HARMONY, "demo", "--devices", "1200", "--no-open"]
    terminal = Terminal(words, tmp_path)
    terminal.read("invented phones")
    terminal.read("Be a device")
    terminal.read("what an answer reveals at most.")
    dashboard, device, public = re.findall(r"^  (http://\S+)\s*$", terminal.said, re.M)[-3:]
    assert dashboard.endswith("&next=/surveys/phone-fleet%3Fround%3Dnow")
    with urllib.request.urlopen(device, timeout=STUCK_SECONDS) as response:
        assert "Be a device" in response.read().decode()
    with urllib.request.urlopen(dashboard, timeout=STUCK_SECONDS) as response:
        assert "Sign in as" in response.read().decode()
    with urllib.request.urlopen(public, timeout=STUCK_SECONDS) as response:
        assert "Who made the phone?" in response.read().decode()
    terminal.process.send_signal(signal.SIGINT)
    terminal.read("Stopped; the server is gone")
    assert terminal.process.wait(STUCK_SECONDS) == 0
    terminal.close()
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
