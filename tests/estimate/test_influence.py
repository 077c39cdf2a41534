"""Influence, of whatever is estimated, is what dishonest devices reach: exactly, not by chance.

A tally gets a few reports more, all with the same symbol; the sender chooses the one that moves an
estimate most, the coin whatever the sender is asked.  Over all of them that is what devices can do.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import harmony as hm
from harmony.estimate.crosstab import CrosstabEstimate
from harmony.estimate.distribution import DistributionEstimate
from harmony.estimate.histogram import HistogramEstimate

DEVICES, DISHONEST = 20_000, 0.01
GROUP, KIND = hm.Integer("group", 0, 2), hm.Boolean("kind")

SURVEYS = {
    "attributes": [GROUP, hm.Numeric("x", 0, 1)],
    "joined": [GROUP, KIND, hm.Crosstab("group", "kind")],
    "a crosstab": [hm.Crosstab(GROUP, KIND)],
    "a distribution": [hm.Distribution("x", 0, 1, bins=8)],
    "means of groups": [hm.Crosstab(KIND, hm.Numeric("x", 0, 1))],
}


def estimates(result: hm.Result) -> dict[str, np.ndarray]:
    """Return what influence is about, of every question."""
    found = {}
    for name in result:
        one = result[name]
        if isinstance(one, DistributionEstimate):
            found[name] = np.cumsum(one.shares)[:-1]
        elif isinstance(one, CrosstabEstimate) and one.number is not None:
            found[name] = np.array([mean for mean, _, _ in one.means().values()])
        elif isinstance(one, CrosstabEstimate | HistogramEstimate):
            found[name] = one.raw
        else:
            found[name] = np.array([one.mean])
    return found


def reached(survey: hm.Survey, tally: hm.Tally) -> dict[str, float]:
    """Return how far the dishonest devices move each question's estimates at most."""
    before = estimates(survey.estimate(tally))
    most = {name: np.zeros((2, len(one))) for name, one in before.items()}
    start = 0
    for cells in tally.cells[0]:
        answers, (rows, symbols) = int(cells.sum()), cells.shape
        more = answers // 500
        for row in range(rows):
            moved: dict[str, list[np.ndarray]] = {name: [] for name in before}
            for symbol in range(symbols):
                counts = tally.counts.copy()
                counts[start + row * symbols + symbol] += more
                added = replace(tally, counts=counts, tier_reports=(tally.reports + more,))
                after = estimates(survey.estimate(added))
                for name, one in before.items():
                    moved[name].append((after[name] - one) * (answers + more) / more)
            for name, ends in moved.items():
                most[name] += np.array([np.max(ends, axis=0), -np.min(ends, axis=0)]) / rows
        start += cells.size
    return {name: DISHONEST * float(ends.max()) for name, ends in most.items()}


@pytest.mark.parametrize("name", SURVEYS)
def test_dishonest_devices_reach_what_is_stated_and_no_more(name: str) -> None:
    rng = np.random.default_rng(1)
    people = {
        "group": rng.choice(3, DEVICES, p=[0.6, 0.3, 0.1]),
        "kind": rng.random(DEVICES) < 0.3,
        "x": rng.beta(2, 5, DEVICES),
    }
    survey = hm.Survey("s", SURVEYS[name], 1.0)
    read = {one for question in survey.attributes for one in _names(question)}
    tally = survey.collect({key: people[key] for key in read}, seed=1)
    stated = survey.estimate(tally, dishonest=DISHONEST)
    for question, most in reached(survey, tally).items():
        # Means of groups are ratios, and only nearly linear; levels are weighed by their answers.
        assert stated[question].influence == pytest.approx(most, rel=0.03), question


def _names(attribute: object) -> list[str]:
    parts = attribute.parts if isinstance(attribute, hm.Crosstab) else [attribute]
    return [one.source for one in parts]
