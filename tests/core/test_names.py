"""Public names, and errors that know which name was meant."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import harmony as hm
from harmony.cli.data_files import read_parts
from harmony.near_names import did_you_mean

SURVEY = hm.Survey("phones", [hm.Numeric("battery use", 0, 100), hm.Boolean("wifi")], 1.0)


def test_completion_offers_public_names_alone() -> None:
    assert dir(hm) == sorted([*hm.__all__, "__version__"])
    for name in hm.__all__:
        assert getattr(hm, name) is not None


def test_the_module_defines_nothing_else_in_the_open() -> None:
    """What a static completer would offer: the names that the file itself binds."""
    code = "import harmony; print(*(n for n in vars(harmony) if n[0] != '_'))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.split() == []


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("Battery Use", "battery use"), ("battery_use", "battery use"), ("batery use", "battery use")],
)
def test_results_and_tables_suggest_the_near_name(wrong: str, meant: str) -> None:
    result = SURVEY.estimate(SURVEY.collect({"battery use": [1.0], "wifi": [True]}, seed=1))
    with pytest.raises(KeyError, match=f"did you mean '{meant}'"):
        result[wrong]
    with pytest.raises(hm.SurveyError, match=f"did you mean '{meant}'"):
        SURVEY.index(wrong)
    with pytest.raises(hm.DataError, match=f"'{meant}' is missing; did you mean '{wrong}'"):
        SURVEY.collect({wrong: [1.0], "wifi": [True]})


def test_nothing_near_is_not_suggested() -> None:
    with pytest.raises(hm.DataError, match=r"column 'battery use' is missing$"):
        SURVEY.collect({"colour": ["red"], "wifi": [True]})
    assert did_you_mean("a" * 50, map(str, range(100_000))) == ""


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"name": "x", "kind": "numerical", "low": 0, "high": 1}, "did you mean 'numeric'"),
        ({"name": "x", "kind": "categorical", "vals": ["a", "b"]}, "'values' is missing; did you"),
        ({"name": "x", "kind": "boolean", "wieght": 2}, "'wieght'; did you mean 'weight'"),
    ],
)
def test_survey_files_are_told_the_field_that_was_meant(document: Any, said: str) -> None:
    with pytest.raises(hm.SurveyError, match=said):
        hm.Survey.from_document({"name": "s", "epsilon": 1, "attributes": [document]})


def test_a_misspelt_field_of_a_survey_is_recognised() -> None:
    attributes = [{"name": "wifi", "kind": "boolean"}]
    with pytest.raises(hm.SurveyError, match="unknown field 'epsilonn'; did you mean 'epsilon'"):
        hm.Survey.from_document({"name": "s", "epsilonn": 1, "attributes": attributes})
    with pytest.raises(hm.SurveyError, match="'attributes' is missing; did you mean 'attribute'"):
        hm.Survey.from_document({"name": "s", "epsilon": 1, "attribute": attributes})


def test_files_suggest_names_of_their_header_and_never_a_value(tmp_path: Path) -> None:
    import pyarrow as pa

    columns = {"theme": pa.string(), "wifi": pa.bool_()}
    headed, bare = tmp_path / "headed.csv", tmp_path / "bare.csv"
    headed.write_text("Theme,wifi\ndark,true\n")
    bare.write_text("themes,true\ndark,false\n")  # no header: "themes" is somebody's value
    with pytest.raises(hm.DataError, match=r"'theme' is missing; did you mean 'Theme'\?"):
        list(read_parts(headed, columns))
    with pytest.raises(hm.DataError, match="the first line must name the columns") as refusal:
        list(read_parts(bare, columns))
    assert "themes" not in str(refusal.value)
