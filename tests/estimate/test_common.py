"""What two rounds have in common: with memory what devices keep, with rotation the devices."""

from __future__ import annotations

import numpy as np
import pytest

import harmony as hm
from harmony.errors import HarmonyError
from harmony.estimate.score import surprise
from harmony.lab.rounds.fleet import Fleet

DEVICES = 2_000


def survey(epsilon: float, **over_time: float) -> hm.Survey:
    attributes = [hm.Integer("theme", 0, 3), hm.Numeric("battery", 0, 100)]
    return hm.Survey("phones", attributes, epsilon, answers=1, **over_time)  # type: ignore[arg-type]


def people(rng: np.random.Generator) -> dict[str, np.ndarray]:
    return {
        "theme": rng.choice(4, DEVICES, p=[0.6, 0.3, 0.08, 0.02]),
        "battery": rng.uniform(0, 80, DEVICES),
    }


def covered(
    compared: hm.Comparison, before: dict[str, np.ndarray], after: dict[str, np.ndarray]
) -> int:
    """Return how many of the five 95% intervals hold the difference."""
    themes = [
        float((after["theme"] == one).mean() - (before["theme"] == one).mean()) for one in range(4)
    ]
    battery = float(after["battery"].mean() - before["battery"].mean())
    hits = surprise(compared["theme"].sampling, np.array(themes)) >= 0.05
    return int(hits.sum()) + bool(
        surprise(compared["battery"].sampling, np.array([battery]))[0] >= 0.05
    )


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
@pytest.mark.parametrize("changing", [0.0, 0.1])
def test_with_memory_what_stayed_cancels(epsilon: float, changing: float) -> None:
    """500 intervals of 100 pairs of rounds: five standard deviations, if those of a pair are one,
    allow 84.1% and more."""
    asked = survey(epsilon, memory=2 * epsilon)
    rng = np.random.default_rng(18)
    hits, ratios = 0, []
    for _ in range(100):
        before = people(rng)
        fleet, another, moved = (
            Fleet(asked, DEVICES, rng),
            people(rng),
            rng.random(DEVICES) < changing,
        )
        after = {name: np.where(moved, another[name], old) for name, old in before.items()}
        first, second = (
            asked.estimate(fleet.tally(one, hm.Round(label, bytes(16)), rng))
            for one, label in ((before, "W1"), (after, "W2"))
        )
        stayed = hm.compare(first, second, stayed=1 - changing)
        unknown = hm.compare(first, second)
        hits += covered(stayed, before, after)
        ratios.append(
            [
                stayed[name].sampling.variance[0] / unknown[name].sampling.variance[0]
                for name in stayed
            ]
        )
    assert hits >= 0.841 * 500
    if not changing:
        assert np.mean(ratios, axis=0).max() < 0.8, "a change has 20% less variance"
    assert np.max(ratios) <= 1


@pytest.mark.parametrize(
    ("first", "second"), [([0], [1]), ([0], [4]), ([0, 1, 2, 3], [4, 5, 6, 7])]
)
def test_with_rotation_differences_cover(first: list[int], second: list[int]) -> None:
    """Epsilon 8, where who is heard matters most.  500 intervals, as above."""
    asked, rng = survey(8.0, every=4), np.random.default_rng(20)
    hits = 0
    for run in range(100):
        group = people(rng)
        results = [
            asked.estimate(tallies=[
                asked.collect(group, 10 * run + number, first=DEVICES * run,
                              round=hm.Round(f"W{number}", rng.bytes(16), number))
                for number in numbers
            ])
            for numbers in (first, second)
        ]  # fmt: skip
        hits += covered(hm.compare(*results), group, group)
    assert hits >= 0.841 * 500


def test_what_stayed_is_a_share_and_matters_with_memory_only() -> None:
    asked, rng = survey(1.0), np.random.default_rng(1)
    results = [
        asked.estimate(asked.collect(people(rng), seed, round=hm.Round(f"W{seed}", rng.bytes(16))))
        for seed in (1, 2)
    ]
    assert hm.compare(*results, stayed=1.0).rows() == hm.compare(*results).rows()
    for wrong in (2, -0.1, True, "all"):
        with pytest.raises(HarmonyError, match="'stayed' must be a share"):
            hm.compare(*results, stayed=wrong)  # type: ignore[arg-type]
