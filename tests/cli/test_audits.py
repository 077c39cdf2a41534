"""`harmony audit`: the exit code can be trusted."""

from __future__ import annotations

import json
from pathlib import Path

import harmony as hm

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
