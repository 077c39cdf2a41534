"""The command line, driven in this process, with a small survey and some people to ask."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from typer.testing import CliRunner, Result

import harmony as hm
from harmony.cli import app, data_files

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `harmony` with some words, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "90")
    monkeypatch.delenv("HARMONY_DEBUG", raising=False)

    def harmony(*words: object) -> Result:
        return CliRunner().invoke(app, [str(word) for word in words])

    return harmony


@pytest.fixture(scope="session")
def survey() -> hm.Survey:
    """A survey that is quick to design: the paper's mechanisms need no solver."""
    return hm.Survey(
        "phones",
        [
            hm.Numeric("battery", 0, 100),
            hm.Categorical("theme", ["light", "dark", "auto"], missing="auto"),
            hm.Boolean("wifi"),
            hm.Integer("sims", 0, 2),
        ],
        epsilon=1.0,
        mechanism="harmony",
    )


@pytest.fixture(scope="session")
def people() -> dict[str, Any]:
    random = np.random.default_rng(7)
    return {
        "battery": random.uniform(0, 100, 3000).round(2),
        "theme": random.choice(["light", "dark", "auto"], 3000),
        "wifi": random.random(3000) < 0.6,
        "sims": random.integers(0, 3, 3000),
    }


@pytest.fixture
def files(tmp_path: Path, survey: hm.Survey, people: dict[str, Any]) -> Path:
    """A directory with the survey, and the people in every format."""
    survey.save(tmp_path / "phones.yaml", tables=False)
    table = pa.table({"comment": ["private"] * 3000} | people)
    csv.write_csv(table, tmp_path / "people.csv")
    csv.write_csv(table, tmp_path / "people.tsv", csv.WriteOptions(delimiter="\t"))
    parquet.write_table(table, tmp_path / "people.parquet")
    frame = [dict(zip(table.column_names, row, strict=True)) for row in _rows(table)]
    import json

    (tmp_path / "people.json").write_text(json.dumps(frame))
    (tmp_path / "people.ndjson").write_text("".join(f"{json.dumps(one)}\n" for one in frame))
    return tmp_path


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut files into parts of about a thousand rows."""
    monkeypatch.setattr(data_files, "LEAST_ROWS", 1000)
    monkeypatch.setattr(data_files, "MOST_ROWS", 1000)
    monkeypatch.setattr(data_files, "BLOCK_BYTES", 1 << 14)


@pytest.fixture
def expected(survey: hm.Survey, people: dict[str, Any]) -> hm.Tally:
    return survey.collect(people, seed=7)


def _rows(table: pa.Table) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
