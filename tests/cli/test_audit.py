"""`harmony audit`: the exit code can be trusted."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

import harmony as hm
from harmony.lab.attack import everything

from .conftest import Run


def _break(survey: hm.Survey, path: Path) -> None:
    """Write a survey in which one table spends a little too much."""
    document = survey.to_document()
    place = document["attributes"][2]["mechanisms"][0]["table"]
    counts = document["tables"][place]["counts"]
    counts[0] += 1000
    counts[1] -= 1000
    path.write_text(json.dumps(document))


def test_an_honest_survey_passes(run: Run, files: Path, survey: hm.Survey) -> None:
    said = run("audit", "phones.yaml")
    assert said.exit_code == 0
    assert said.stdout.count("PASS") == 5
    assert f"{hm.audit(survey).epsilon:.16f}" in said.stdout.splitlines()[-1]


def test_a_broken_table_fails_by_name(run: Run, tmp_path: Path, survey: hm.Survey) -> None:
    _break(survey, tmp_path / "broken.json")
    said = run("audit", "broken.json")
    assert said.exit_code == 1
    (wifi,) = [line for line in said.stdout.splitlines() if line.startswith("wifi")]
    assert "FAIL" in wifi
    assert said.stdout.splitlines()[-1].startswith("FAIL")


def test_the_audit_as_json_has_every_table(run: Run, tmp_path: Path, survey: hm.Survey) -> None:
    _break(survey, tmp_path / "broken.json")
    said = run("audit", "broken.json", "--json")
    assert said.exit_code == 1
    audited = json.loads(said.stdout)
    assert not audited["passed"]
    failed = {one["attribute"] for one in audited["tables"] if not one["passed"]}
    assert "wifi" in failed
    assert "battery" not in failed


def test_a_broken_table_is_refused_by_every_other_command(
    run: Run, files: Path, survey: hm.Survey
) -> None:
    _break(survey, files / "broken.json")
    assert run("survey", "check", "broken.json").exit_code == 1
    said = run("simulate", "broken.json", "people.csv", "-o", "out.tally")
    assert said.exit_code == 2
    assert "promised epsilon" in said.stderr


def test_an_attack_on_a_survey_finds_nothing(run: Run, files: Path) -> None:
    """99.99% confidence for each of four bounds: false alarms 4e-4 at most, far fewer in fact."""
    said = run("audit", "phones.yaml", "--attack", "--samples", 1000, "--json")
    assert said.exit_code == 0
    found = json.loads(said.stdout)
    assert not found["violated"]
    assert [one["name"] for one in found["attacks"]] == ["battery", "theme", "wifi", "sims"]
    assert all(one["lower"] <= 1 for one in found["attacks"])


def test_a_device_program_that_tells_the_truth_is_found_out(run: Run, tmp_path: Path) -> None:
    (tmp_path / "honest.py").write_text(
        "import json, sys\n"
        "from harmony_device import Survey, make_report\n"
        "a = json.load(sys.stdin)\n"
        "seed, device = bytes.fromhex(a['seed']), bytes.fromhex(a['device'])\n"
        "report = make_report(Survey(a['survey']), seed, device, 0, a['values'], bytes)\n"
        "sys.stdout.buffer.write(report * a['count'])\n"
    )
    hm.Survey("wifi", [hm.Boolean("wifi")], epsilon=1.0).save(tmp_path / "wifi.json")
    program = shlex.join([sys.executable, "honest.py"])
    said = run("audit", "wifi.json", "--attack", "--samples", 1000, "--device", program)
    assert said.exit_code == 1
    assert "VIOLATED" in said.stdout
    assert "FAIL  each bound holds with 99.99% confidence" in said.stdout


def test_attacking_all_that_ships_finds_what_was_published_broken_and_only_that(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounds at 99.99%, biases at 5 standard errors: false alarms below 3e-3, were all tight."""
    one = hm.Survey("shipped", [hm.Boolean("wifi"), hm.Numeric("x", 0, 1)], epsilon=1.0)
    monkeypatch.setattr(everything, "shipped_surveys", lambda: [one])
    monkeypatch.setattr(everything, "RUNS", 2)
    said = run("audit", "--attack", "--samples", 4000)
    assert said.exit_code == 0, said.stdout
    rows = [line.split() for line in said.stdout.splitlines()]
    duchi = {(int(row[0]), row[1]): row for row in rows if row[1:2] in (["published"], ["fixed"])}
    broken = {key for key, row in duchi.items() if "VIOLATED" in row and "BIASED" in row}
    assert broken == {(2, "published"), (4, "published"), (6, "published")}
    assert sum("kept" in row and "unbiased" in row for row in duchi.values()) == 9
    assert ["PASS"] in [row[:1] for row in rows]


def test_an_audit_of_nothing_is_refused(run: Run) -> None:
    assert "give a SURVEY" in run("audit").stderr
    said = run("audit", "--attack", "--device", "true")
    assert said.exit_code == 2
    assert "--device needs a SURVEY" in said.stderr
