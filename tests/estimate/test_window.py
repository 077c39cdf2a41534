"""Several rounds estimated together: unbiased, with intervals that cover, and drift named."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import harmony as hm
from harmony.errors import HarmonyError, TallyError
from harmony.estimate.score import surprise
from harmony.estimate.window import repetition
from harmony.lab.rounds.fleet import Fleet

THEMES = ["light", "dark", "auto", "other"]


def error_of(result: hm.Result, value: str) -> float:
    """Return the standard error of a theme's frequency."""
    return next(float(row["stderr"]) for row in result["theme"].rows() if row["value"] == value)


def survey(**over_time: float) -> hm.Survey:
    attributes = [hm.Categorical("theme", THEMES), hm.Numeric("battery", 0, 100)]
    return hm.Survey("phones", attributes, epsilon=1.0, **over_time)  # type: ignore[arg-type]


def week(asked: hm.Survey, number: int, people: dict[str, np.ndarray], seed: int) -> hm.Tally:
    opened = hm.Round(f"W{number}", np.random.default_rng(seed).bytes(16), number)
    return asked.collect(people, seed=seed, round=opened)


def people(rng: np.random.Generator, devices: int, dark: float = 0.3) -> dict[str, np.ndarray]:
    chances = [0.9 - dark, dark, 0.08, 0.02]
    return {"theme": rng.choice(THEMES, devices, p=chances), "battery": rng.uniform(0, 80, devices)}


@pytest.mark.parametrize("every", [None, 4], ids=["plain", "rotation"])
def test_windows_cover_what_the_devices_have(every: int | None) -> None:
    """1,000 intervals of 95%, of five estimates in 200 windows.

    A count of hits has a standard deviation of at most 6.9 if all are independent, and of 15.4 if
    the five of a window are one: five of the latter are allowed, so false alarms are below 1e-6.
    """
    asked = survey() if every is None else survey(every=every)
    rng = np.random.default_rng(20)
    hits, errors = 0, []
    for run in range(200):
        group = people(rng, 2_000)
        truth = [float((group["theme"] == one).mean()) for one in THEMES]
        truth.append(float(group["battery"].mean()))
        rounds = [week(asked, number, group, 10 * run + number) for number in range(4)]
        found = asked.estimate(tallies=rounds)
        assert found.reports == (8_000 if every is None else 2_000)
        scaled = [*truth[:4], truth[4] / 50 - 1]
        for name, true in (("theme", scaled[:4]), ("battery", scaled[4:])):
            sampling = found[name].sampling  # type: ignore[attr-defined]  # of both kinds
            hits += int((surprise(sampling, np.array(true)) >= 0.05).sum())
            errors += ((sampling.estimates - true) / np.sqrt(sampling.variance)).tolist()
    assert abs(hits - 950) < 5 * 15.4
    assert abs(np.mean(errors)) < 5 / np.sqrt(200)


def test_a_window_of_one_round_is_that_round() -> None:
    asked = survey()
    tally = week(asked, 1, people(np.random.default_rng(1), 1_000), 1)
    assert asked.estimate(tallies=[tally]).rows() == asked.estimate(tally).rows()


def test_windows_of_plain_rounds_are_as_narrow_as_their_reports_make_them() -> None:
    asked, rng = survey(), np.random.default_rng(2)
    rounds = [week(asked, number, people(rng, 4_000), number) for number in range(4)]
    one, four = asked.estimate(rounds[0]), asked.estimate(tallies=rounds)
    ratio = four.mean("battery").stderr / one.mean("battery").stderr
    assert ratio == pytest.approx(0.5, abs=0.05)
    assert four.round == "W0 to W3"
    assert four.rounds == ("W0", "W1", "W2", "W3")


def test_drift_is_named_and_an_average_estimated() -> None:
    """The drift is 15 standard errors of a round; a false alarm elsewhere is one in a thousand."""
    asked, rng = survey(every=4), np.random.default_rng(3)
    shares = [0.1, 0.2, 0.4, 0.6]
    rounds = [
        week(asked, number, people(rng, 80_000, dark), number) for number, dark in enumerate(shares)
    ]
    found = asked.estimate(tallies=rounds)
    assert [str(one).split(":")[0] for one in found.warnings] == ["theme"]
    assert "average over 4 rounds" in str(found.warnings[0])
    error = error_of(found, "dark")
    assert found.histogram("theme").frequencies["dark"] == pytest.approx(0.325, abs=5 * error)


def test_memory_is_not_averaged_away() -> None:
    """What devices keep is in all rounds: with four of them, that part counts four times."""
    asked, rng = survey(memory=2.0), np.random.default_rng(4)
    rounds = [week(asked, number, people(rng, 4_000), number) for number in range(4)]
    assert repetition(asked, rounds) == pytest.approx(4)
    one, four = asked.estimate(rounds[0]), asked.estimate(tallies=rounds)
    mechanism = asked.mechanisms[0][0]
    share = np.array([four.histogram("theme").frequencies["dark"]])
    spread = 0.5 * share * (1 - share)  # half of the devices are asked about it
    kept = mechanism.permanent_noise_at(share) + spread
    fresh = mechanism.noise_at(share) + spread - kept
    wanted = np.sqrt((kept + fresh / 4) / (kept + fresh))[0]
    ratio = error_of(four, "dark") / error_of(one, "dark")
    assert 0.5 < wanted < 1
    assert ratio == pytest.approx(wanted, abs=0.05)


def test_means_of_groups_in_a_window_with_memory_are_as_wide_as_they_must_be() -> None:
    """All numbers at both edges, all devices asked: only what they keep is repeated.

    Of 60 rounds, errors of three groups over stated ones vary by 0.8 to 1.2 in all but 1 of 1,000
    such checks.
    """
    both = hm.Crosstab(hm.Integer("group", 0, 2), hm.Numeric("x", 0, 1))
    asked = hm.Survey("window", [both], epsilon=4.0, memory=8.0)
    rng, devices = np.random.default_rng(6), 1_000
    group, x = rng.integers(0, 3, devices), rng.integers(0, 2, devices)
    truth = np.array([x[group == one].mean() for one in range(3)])
    points = len(asked.questions[0].parts[1].grid)
    place = {asked.attributes[0].name: group * points + x * (points - 1)}
    surprises = []
    for _ in range(60):
        fleet = Fleet(asked, devices, rng)
        rounds = [fleet.tally(place, hm.Round(f"W{n}", bytes([n] * 16), n), rng) for n in range(3)]
        means = asked.estimate(tallies=rounds).crosstab("group x x").means()
        mean, low, high = np.array(list(means.values())).T
        surprises.append((mean - truth) / ((high - low) / (2 * 1.96)))
    assert 0.8 < np.sqrt(np.mean(np.square(surprises))) < 1.2


def test_memory_with_rotation_repeats_only_the_same_devices() -> None:
    asked, rng = survey(memory=2.0, every=4), np.random.default_rng(5)
    rounds = [week(asked, number, people(rng, 4_000), number) for number in range(8)]
    assert repetition(asked, rounds[:4]) == 1
    assert 1.5 < repetition(asked, rounds) < 2.01


def test_windows_are_compared_unless_they_share_a_round() -> None:
    asked, rng = survey(), np.random.default_rng(6)
    rounds = [week(asked, n, people(rng, 20_000, 0.3 + 0.2 * (n > 1)), n) for n in range(4)]
    before, after = asked.estimate(tallies=rounds[:2]), asked.estimate(tallies=rounds[2:])
    assert hm.compare(before, after).changed() == ("theme",)
    with pytest.raises(HarmonyError, match="both windows have round 'W1'"):
        hm.compare(before, asked.estimate(tallies=rounds[1:]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda one: {"tally": one, "tallies": [one]}, "not both"),
        (lambda one: {"tallies": []}, "must be a list of tallies"),
        (lambda one: {"tallies": "W1"}, "must be a list of tallies"),
        (lambda one: {"tallies": [one, one]}, "'W1' twice"),
        (lambda one: {"tallies": [one, 7]}, "needs a Tally, not a int"),
    ],
)
def test_what_is_no_window_is_refused(
    given: Callable[[hm.Tally], dict[str, object]], message: str
) -> None:
    asked = survey()
    tally = week(asked, 1, people(np.random.default_rng(7), 100), 1)
    with pytest.raises((HarmonyError, TallyError), match=message):
        asked.estimate(**given(tally))  # type: ignore[arg-type]


def test_a_simulated_round_of_a_survey_with_memory_spends_epsilon_and_is_unbiased() -> None:
    """Five standard errors: false alarms below 1e-5."""
    asked, devices = survey(memory=2.0), 100_000
    everyone = {"theme": np.full(devices, "dark"), "battery": np.full(devices, 90.0)}
    found = asked.estimate(week(asked, 1, everyone, 8))
    dark, battery = found.histogram("theme"), found.mean("battery")
    assert dark.frequencies["dark"] == pytest.approx(1, abs=5 * error_of(found, "dark"))
    assert battery.mean == pytest.approx(90, abs=5 * battery.stderr)


def test_only_those_report_whose_turn_it_is() -> None:
    asked = survey(every=4)
    group = people(np.random.default_rng(9), 4_000)
    rounds = [
        asked.randomize(group, seed=1, round=hm.Round(f"W{n}", bytes(16), n)) for n in range(8)
    ]
    ids = [set(one["device"].to_pylist()) for one in rounds]
    assert ids[:4] == ids[4:]
    assert sum(map(len, ids[:4])) == len(set().union(*ids)) == 4_000
