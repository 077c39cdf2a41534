"""`reproduce mean-frequency`: the files it writes, resuming, and agreement with theory."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import harmony as hm
from harmony.lab.baselines.base import debiasing
from harmony.lab.populations import br, us
from harmony.lab.reproduce import paper_points, reproduce_mean_frequency
from harmony.lab.reproduce.experiment import Experiment, expected_largest
from harmony.lab.reproduce.summary import summarize

PEOPLE = [us(20_000), br(20_000)]


def test_it_writes_the_papers_columns_a_figure_and_a_report(tmp_path) -> None:
    measured = reproduce_mean_frequency(tmp_path, runs=4, people=PEOPLE, epsilons=(0.2, 0.8))
    rows = list(csv.DictReader((tmp_path / "mean-frequency-published.csv").open()))
    assert list(rows[0]) == ["figure", "dataset", "panel", "method", "epsilon", "value"]
    assert len(rows) == len(measured) == 2 * 2 * 7
    assert (tmp_path / "mean-frequency-published.svg").read_text().startswith("<?xml")
    assert (tmp_path / "mean-frequency-published.png").stat().st_size > 10_000
    assert "## BR, numeric" in (tmp_path / "mean-frequency-published.md").read_text()


def test_an_interrupted_run_goes_on_and_ends_as_if_it_had_not_been(tmp_path) -> None:
    whole = reproduce_mean_frequency(tmp_path / "a", runs=3, people=PEOPLE, epsilons=(0.4,))
    store = tmp_path / "b" / "mean-frequency-published.jsonl"
    reproduce_mean_frequency(tmp_path / "b", runs=3, people=PEOPLE[:1], epsilons=(0.4,))
    lines = store.read_text().splitlines()
    store.write_text("\n".join(lines[:3]) + "\n" + lines[3][:20] + "\n")
    assert reproduce_mean_frequency(tmp_path / "b", runs=3, people=PEOPLE, epsilons=(0.4,)) == whole
    assert len(store.read_text().splitlines()) == 4 + len(whole) - 3


def test_points_of_other_settings_are_not_taken_for_these(tmp_path) -> None:
    few = reproduce_mean_frequency(tmp_path, runs=2, people=PEOPLE[1:], epsilons=(0.4,))
    more = reproduce_mean_frequency(tmp_path, runs=3, people=PEOPLE[1:], epsilons=(0.4,))
    assert {one.runs for one in more} == {3}
    assert few != more


@pytest.mark.parametrize(("protocol", "d"), [("published", 6), ("text", 18)])
def test_the_numeric_panel_follows_the_theory_of_its_protocol(protocol, d) -> None:
    """Within 5 standard errors of E[max of 6 |N|] c sqrt(d / n); false alarms 1e-6."""
    experiment = Experiment(summarize(PEOPLE[1]), PEOPLE[1].attributes, protocol, 1000, seed=1)
    one = experiment.measure("numeric", "harmony", 0.4)
    theory = expected_largest(6) * debiasing(0.4) * np.sqrt(d / 20_000)
    assert abs(one.value - theory) < 5 * one.stderr + 0.002 * theory


@pytest.mark.parametrize("place", [0, 1], ids=["US", "BR"])
def test_auto_is_below_the_papers_harmony_on_frequencies(place) -> None:
    """Each gap is over 5 standard errors of the difference at 300 runs; false alarms 1e-5."""
    people = PEOPLE[place]
    experiment = Experiment(summarize(people), people.attributes, "published", 300, seed=1)
    harmony = experiment.measure("categorical", "harmony", 0.8)
    for method in ("auto", "auto-consistent"):
        assert experiment.measure("categorical", method, 0.8).value < 0.85 * harmony.value


def test_the_papers_numeric_points_follow_the_published_protocol() -> None:
    """Within 6% of theory with the six numeric attributes alone; d = 23 is off by 96%."""
    for point in paper_points("mean-frequency"):
        if (point.panel, point.method) == ("numeric", "harmony"):
            n = {"US": 9e6, "BR": 4e6}[point.dataset]
            theory = expected_largest(6) * debiasing(point.epsilon) * np.sqrt(6 / n)
            assert point.value == pytest.approx(theory, rel=0.06)


@pytest.mark.parametrize(
    "wrong", [{"protocol": "other"}, {"scale": 0.0}, {"scale": 2.0}, {"runs": 0}]
)
def test_wrong_settings_are_refused(tmp_path, wrong) -> None:
    with pytest.raises(hm.HarmonyError, match=next(iter(wrong))):
        reproduce_mean_frequency(tmp_path, **wrong)
