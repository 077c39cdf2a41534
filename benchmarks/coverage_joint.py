"""Many intervals at once, picks and comparisons: whole rounds, collected and estimated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import harmony as hm


@dataclass(frozen=True)
class Held:
    """How often, over so many rounds, single and simultaneous intervals and picks held."""

    rounds: int
    single: float
    simultaneous: float
    picked: float


def column(shape: str, k: int, devices: int) -> np.ndarray:
    """Return a population of this shape, the same every time."""
    if shape == "one value":
        return np.zeros(devices, np.int64)
    if shape == "even":
        return np.arange(devices) % k
    weights = 1 / np.arange(1, k + 1)
    if shape == "rare":
        weights = np.r_[1.0, np.full(k - 1, 3 / devices)]
    counts = np.floor(weights / weights.sum() * devices).astype(int)
    counts[0] += devices - counts.sum()
    return np.repeat(np.arange(k), counts)


def hold(
    epsilon: float | tuple[float, ...],
    k: int,
    devices: int,
    shape: str,
    picked: int,
    rounds: int,
    *,
    attributes: int = 1,
    answers: int | None = None,
) -> Held:
    """Collect and estimate whole rounds; of several attributes all have the same values."""
    asked = [hm.Integer(f"k{place}", 0, k - 1) for place in range(attributes)]
    options = {"tiers": list(epsilon)} if isinstance(epsilon, tuple) else {"epsilon": epsilon}
    survey = hm.Survey("coverage", asked, answers=answers, **options)
    values = column(shape, k, devices)
    truth = np.bincount(values, minlength=k) / devices
    table = {one.name: values for one in asked}
    tiers = np.arange(devices) % len(survey.tiers) if len(survey.tiers) > 1 else None
    single = together = of_picks = 0.0
    for seed in range(rounds):
        result = survey.estimate(survey.collect(table, seed=seed, tiers=tiers))
        for one in asked:
            histogram = result.histogram(one.name)
            low, high = np.array(list(histogram.interval().values())).T
            wide_low, wide_high = np.array(list(histogram.interval(simultaneous=True).values())).T
            single += float(((low <= truth) & (truth <= high)).mean())
            together += bool(((wide_low <= truth) & (truth <= wide_high)).all())
            top = histogram.top(picked)
            of_picks += np.mean([row["low"] <= truth[row["value"]] <= row["high"] for row in top])
    total = rounds * attributes
    return Held(total, single / total, together / total, of_picks / total)


@dataclass(frozen=True)
class Compared:
    """How often a comparison called a change, and how often that of a detectable size."""

    rounds: int
    false_alarms: float
    changes: int
    noticed: float


def compare(epsilon: float, devices: int, rounds: int, changes: int) -> Compared:
    """Compare a population with itself, and with one that differs by what is detectable."""
    survey = hm.Survey(
        "coverage",
        [hm.Numeric("battery", 0, 100), hm.Integer("theme", 0, 2), hm.Integer("k", 0, 9)],
        epsilon,
    )
    level = np.clip(np.random.default_rng(1).normal(50, 15, devices), 0, 100)

    def people(dark: int) -> dict[str, np.ndarray]:
        theme = np.repeat([0, 1, 2], [devices - dark - devices // 5, dark, devices // 5])
        return {"battery": level, "theme": theme, "k": np.arange(devices) % 10}

    def week(number: int, dark: int) -> hm.Result:
        opened = hm.Round(f"{number}", number.to_bytes(16, "big"))
        return survey.estimate(survey.collect(people(dark), seed=number, round=opened))

    before = 3 * devices // 10
    called, detectable = 0, []
    for run in range(rounds):
        found = hm.compare(week(2 * run, before), week(2 * run + 1, before))
        called += bool(found.changed())
        detectable.append(float(found["theme"].detectable()[1]))
    after = before + round(float(np.mean(detectable)) * devices)
    noticed = sum(
        1 in hm.compare(week(2 * run, before), week(2 * run + 1, after))["theme"].changed()
        for run in range(rounds, rounds + changes)
    )
    return Compared(rounds, called / rounds, changes, noticed / changes)
