"""`harmony reproduce`: both figures, small, and what it says of them."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Run

TINY = ("--scale", "0.0005", "--out", "out")


def test_figure_1_is_printed_and_written_beside_the_paper(run: Run, tmp_path: Path) -> None:
    said = run("reproduce", "mean-frequency", *TINY, "--runs", 2, "--protocol", "text")
    assert said.exit_code == 0, said.stderr
    assert "US, categorical: 4,500 people" in said.stdout
    assert "paper" in said.stdout
    names = {path.name for path in (tmp_path / "out").iterdir()}
    stem = "mean-frequency-text"
    assert names == {f"{stem}.{kind}" for kind in ("csv", "jsonl", "md", "png", "svg")}


def test_figure_2_by_the_methods_that_are_chosen(run: Run, tmp_path: Path) -> None:
    chosen = ("--method", "mgd", "--method", "mgd-dr")
    said = run("reproduce", "erm", *TINY, "--folds", 2, *chosen, "--json")
    assert said.exit_code == 0, said.stderr
    points = json.loads(said.stdout)["points"]
    seen = {(one["dataset"], one["panel"], one["method"]) for one in points}
    assert ("US", "linear", "mgd-dr") in seen
    assert ("BR", "svm", "mgd-dr") not in seen
    assert len(points) == 5 * len(seen) == 5 * 8
    assert (tmp_path / "out" / "erm.svg").exists()


def test_mistakes_are_named(run: Run) -> None:
    for words, named in (
        (("mean-frequency", "--scale", 9), "'scale'"),
        (("mean-frequency", "--runs", 0), "'runs'"),
        (("erm", "--folds", 1), "'folds'"),
        (("erm", "--method", "adam"), "'adam' is not one of sgd"),
        (("erm", "--extract", "no.csv", "no.yaml"), "no.yaml"),
    ):
        said = run("reproduce", *words)
        assert said.exit_code == 2
        assert named in said.stderr
