"""Reports that ask about what no coin would have asked are noticed; honest ones are not."""

from __future__ import annotations

import numpy as np
import pytest

import harmony as hm
from harmony.arrays import NO_TIERS
from harmony.bulk.coins import Coins
from harmony.estimate.coin_check import ALARM, check_coins
from harmony.estimate.decode import estimate
from harmony.tally import Tally

BITS = hm.Survey("bits", [hm.Boolean(f"b{place}") for place in range(4)], epsilon=1.0)
MIXED = hm.Survey(
    "mixed",
    [
        hm.Numeric("battery", 0, 100, weight=3),
        hm.Categorical("region", [f"r{place}" for place in range(40)]),
        hm.Boolean("wifi"),
    ],
    tiers=[0.5, 2.0],
    answers=2,
)


def tally_of(survey: hm.Survey, devices: np.ndarray, tiers: np.ndarray) -> Tally:
    """Count one report of each device, with symbol 0 in every answer."""
    opened = hm.Round("week1", bytes(16))
    coins = Coins(survey, opened)
    symbols = np.zeros(devices.shape[1] * survey.answers, np.uint16)
    cells = coins.locate(devices, tiers if len(survey.tiers) > 1 else NO_TIERS, symbols)
    counts = np.bincount(cells, minlength=coins.cells)
    reports = np.bincount(tiers, minlength=len(survey.tiers))
    return Tally.of(survey, opened, counts, tuple(reports.tolist()))


@pytest.mark.parametrize("survey", [BITS, MIXED], ids=["one answer", "tiers and two answers"])
@pytest.mark.parametrize("reports", [0, 1, 3, 50, 5000])
def test_honest_devices_raise_no_alarm(survey: hm.Survey, reports: int) -> None:
    """False alarms: at most 20 rounds times 1e-6."""
    rng = np.random.default_rng(reports)
    for _ in range(20):
        devices = rng.integers(0, 2**64, (2, reports), np.uint64)
        tiers = rng.integers(0, len(survey.tiers), reports, np.uint8)
        assert check_coins(survey, tally_of(survey, devices, tiers)) == ()


def test_ids_that_were_thrown_away_until_the_coin_fitted_are_noticed() -> None:
    """The attack as it was found: of 600 enrolments the 153 or so whose coin says b0 report."""
    rng = np.random.default_rng(7)
    coins = Coins(BITS, hm.Round("week1", bytes(16)))
    enrolled = rng.integers(0, 2**64, (2, 600), np.uint64)
    fitting = coins.assign(enrolled, NO_TIERS).group == 0
    honest = rng.integers(0, 2**64, (2, 1000), np.uint64)
    devices = np.concatenate([honest, enrolled[:, fitting]], axis=1)
    found = check_coins(BITS, tally_of(BITS, devices, np.zeros(devices.shape[1], np.uint8)))
    assert found[0].attribute == "b0"
    assert found[0].p_value < ALARM
    assert str(found[0]).startswith("reports ask about b0 far more often than chance would (")


def test_ids_chosen_for_one_row_of_a_code_are_noticed() -> None:
    rng = np.random.default_rng(11)
    coins = Coins(MIXED, hm.Round("week1", bytes(16)))
    enrolled = rng.integers(0, 2**64, (2, 60_000), np.uint64)
    tiers = np.ones(60_000, np.uint8)
    assigned = coins.assign(enrolled, tiers)
    group, row = (part.reshape(-1, 2) for part in (assigned.group, assigned.row))
    fitting = ((group % 3 == 1) & (row == 0)).any(axis=1)
    chosen = enrolled[:, fitting][:, :300]
    devices = np.concatenate([enrolled[:, :3000], chosen], axis=1)
    found = check_coins(MIXED, tally_of(MIXED, devices, np.ones(devices.shape[1], np.uint8)))
    assert "region" in {one.attribute for one in found}


def test_a_result_tells_in_every_form() -> None:
    honest = BITS.collect({f"b{place}": [True] * 4000 for place in range(4)}, seed=3)
    counts = honest.counts.copy()
    counts[:2] += 500
    chosen = Tally.of(BITS, honest.round, counts, (honest.reports + 1000,))
    result = estimate(BITS, chosen)
    assert estimate(BITS, honest).warnings == ()
    assert "warning: reports ask about b0 far more often" in repr(result)
    assert result.to_dict()["warnings"] == [str(one) for one in result.warnings]
