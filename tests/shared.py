"""The real data sets beside the repository, where they are there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import harmony as hm

FOLDER = Path(__file__).parents[2] / "shared" / "data"


def load(name: str) -> tuple[hm.Survey, object]:
    """Return a survey for the data set and its table, or skip the test."""
    import pyarrow.parquet as pq

    if not (FOLDER / f"{name}.parquet").exists():
        pytest.skip(f"the data set {name} is not beside this repository (../shared/data)")
    about = json.loads((FOLDER / f"{name}.json").read_text())
    attributes: list = [
        hm.Numeric(column, facts["min"], facts["max"]) for column, facts in about["numeric"].items()
    ]
    attributes += [
        hm.Integer(column, 0, facts["k"] - 1) for column, facts in about["categorical"].items()
    ]
    return hm.Survey(name, attributes, epsilon=1.0), pq.read_table(FOLDER / f"{name}.parquet")
