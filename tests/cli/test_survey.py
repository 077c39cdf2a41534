"""`harmony survey`."""

from __future__ import annotations

import json
from pathlib import Path

import harmony as hm

from .conftest import Run

BAD = """
name: bad name!
epsilon: -1
mechanism: magic
attributes:
  - {name: a, kind: numeric, low: 5, high: 1}
  - {name: b, kind: categorical, values: [x]}
  - {name: c, kind: colour}
  - {name: fine, kind: boolean}
"""


def test_a_valid_survey_passes_and_its_tables_are_proved(run: Run, files: Path) -> None:
    said = run("survey", "check", "phones.yaml")
    assert said.exit_code == 0
    assert "phones.yaml: valid. 4 attributes, epsilon 1, 1 answer a report" in said.stdout
    assert "4 tables proved: a report spends 0.99999999" in said.stdout


def test_a_survey_that_devices_would_skip_for_its_size_is_told(run: Run, tmp_path: Path) -> None:
    values = [f"{number:0100}" for number in range(11_000)]
    zips = {"name": "zip", "kind": "categorical", "values": values, "unlisted": values[0]}
    asked = {"name": "long", "epsilon": 1, "attributes": [zips | {"missing": values[0]}]}
    (tmp_path / "long.json").write_text(json.dumps(asked))
    said = run("survey", "check", "long.json", "--json")
    assert said.exit_code == 0, said.stderr
    (advice,) = json.loads(said.stdout)["advice"]
    assert advice.startswith("the document has more than 1048576 bytes: devices skip it")


def test_every_problem_of_a_survey_gets_its_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(BAD)
    said = run("survey", "check", "bad.yaml")
    assert said.exit_code == 1
    lines = said.stdout.splitlines()
    assert len(lines) == 6
    for line, field in zip(
        lines, ["'name'", "'epsilon'", "'mechanism'", "a: 'low'", "b: 'values'", "attributes[2]"],
        strict=True,
    ):  # fmt: skip
        assert line.startswith(f"bad.yaml: {field}")


def test_problems_come_as_json_too(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(BAD)
    said = run("survey", "check", "bad.yaml", "--json")
    assert said.exit_code == 1
    checked = json.loads(said.stdout)
    assert not checked["valid"]
    assert len(checked["problems"]) == 6


def test_a_survey_file_that_is_not_there_is_bad_input(run: Run) -> None:
    said = run("survey", "check", "nowhere.yaml")
    assert said.exit_code == 2
    assert said.stderr == "error: nowhere.yaml: cannot be read (No such file or directory)\n"


def test_broken_yaml_is_told_with_its_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("name: phones\nattributes: [")
    said = run("survey", "check", "bad.yaml")
    assert said.exit_code == 2
    assert "is not valid YAML" in said.stderr


def test_show_tells_how_each_attribute_is_answered(run: Run, files: Path) -> None:
    said = run("survey", "show", "phones.yaml").stdout
    assert "epsilon 1, 1 answer a report, 18 bytes a report" in said
    (theme,) = [line for line in said.splitlines() if line.startswith("theme")]
    assert theme.split() == [
        "theme", "light,", "dark,", "auto", "25%", "base", "2,", "2", "digits,", "window", "1",
        "2", theme.split()[-1],
    ]  # fmt: skip


def test_show_as_json_is_the_definition_with_mechanisms(
    run: Run, files: Path, survey: hm.Survey
) -> None:
    shown = json.loads(run("survey", "show", "phones.yaml", "--json").stdout)
    assert shown["fingerprint"] == survey.fingerprint
    theme = shown["attributes"][1]
    assert theme["mechanisms"][0]["base"] == 2
    assert theme["mechanisms"][0]["variance"] == survey.mechanisms[0][1].reference_noise


def test_show_gives_tiers_a_line_each(run: Run, tmp_path: Path) -> None:
    tiered = hm.Survey("tiers", [hm.Boolean("wifi")], tiers=[0.5, 2.0])
    tiered.save(tmp_path / "tiers.json")
    said = run("survey", "show", "tiers.json").stdout
    assert "epsilon 0.5 or 2" in said
    assert said.count("base 2, window 1") == 2


def test_names_that_look_like_markup_are_shown_as_they_are(run: Run, tmp_path: Path) -> None:
    odd = hm.Survey("odd", [hm.Categorical("[red]x[/]", ["[bold]", "b"])], epsilon=1.0)
    odd.save(tmp_path / "odd.json")
    assert "[red]x[/]" in run("survey", "show", "odd.json").stdout
    assert "[bold], b" in run("survey", "show", "odd.json").stdout


def test_a_built_survey_is_the_same_survey(run: Run, files: Path, survey: hm.Survey) -> None:
    assert run("survey", "build", "phones.yaml", "-o", "phones.json").exit_code == 0
    assert hm.Survey.load(files / "phones.json") == survey
    assert "tables" in json.loads((files / "phones.json").read_text())
