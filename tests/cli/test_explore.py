"""`harmony explore` from a file of texts to strings, and what it says of bad files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from .conftest import Run

PAGES = "name: pages\nepsilon: 4\ntext: {name: page, bits: 20}\ndevices: 20000\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "pages.yaml").write_text(PAGES)
    texts = ["the"] * 12_000 + ["and"] * 6_000 + [None] * 2_000
    parquet.write_table(pa.table({"page": texts}), tmp_path / "people.parquet")
    return tmp_path


def test_strings_are_found_in_a_file(run: Run, files: Path) -> None:
    out = files / "found.json"
    asked = ("explore", files / "pages.yaml", files / "people.parquet", "--seed", "3")
    said = run(*asked, "-o", out)
    assert said.exit_code == 0, said.output
    found: dict[str, Any] = json.loads(out.read_text())
    assert [one["text"] for one in found["strings"]] == ["the", "and"]
    assert "the" in said.stdout
    assert "90%" in said.stdout
    assert json.loads(run(*asked, "--json").stdout) == found


def test_the_plan_needs_no_data(run: Run, files: Path) -> None:
    said = run("explore", files / "pages.yaml", "--plan")
    assert "20 bits" in said.stdout
    planned = json.loads(run("explore", files / "pages.yaml", "--plan", "--json").stdout)
    assert 0 < planned["lengths"][0]["share"] < 0.1


def test_what_is_wrong_is_said(run: Run, files: Path) -> None:
    (files / "bad.yaml").write_text(PAGES.replace("epsilon: 4", "epsilon: -1"))
    for arguments, said in (
        ((files / "pages.yaml",), "--plan"),
        ((files / "bad.yaml", "--plan"), "epsilon"),
        ((files / "pages.yaml", files / "people.parquet", "-o", files / "x.doc"), ".json"),
        ((files / "pages.yaml", files / "nobody.csv"), "nobody.csv"),
    ):
        result = run("explore", *arguments)
        assert result.exit_code == 2
        assert said in result.stderr
