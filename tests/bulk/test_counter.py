"""Counting from recomputed coins: the same integers as one device at a time."""

from __future__ import annotations

import numpy as np
import pytest

import harmony as hm
from harmony.arrays import NO_TIERS
from harmony.bulk.coins import Coins
from harmony.bulk.counter import CHUNK, Counter
from harmony_device.coins import assign

from .surveys import SURVEYS, make_survey, random_ids

pytestmark = pytest.mark.usefixtures("either_backend")

ROUND = hm.Round("1", bytes(range(16)))


def by_hand(survey: hm.Survey, ids: list[bytes], tiers: list[int], symbols: list) -> list[int]:
    """Count one device at a time, with the device's own coin."""
    cells = [[part.copy() * 0 for part in tier] for tier in hm.Tally.empty(survey, ROUND).cells]
    for device, tier, sent in zip(ids, tiers, symbols, strict=True):
        asked = assign(ROUND.seed, device, survey.weights, survey.rows(tier), survey.answers)
        for (attribute, row), symbol in zip(asked, sent, strict=True):
            cells[tier][attribute][row, symbol] += 1
    return np.concatenate([part.reshape(-1) for tier in cells for part in tier]).tolist()


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
@pytest.mark.parametrize("weights", [(1, 1, 1, 1, 1), (5, 1, 2, 1, 3), (65_536, 1, 1, 1, 1)])
@pytest.mark.parametrize("options", SURVEYS.values(), ids=SURVEYS.keys())
def test_counts_equal_those_of_one_device_at_a_time(
    options: dict, weights: tuple[int, ...], kind: type
) -> None:
    survey = make_survey(options, weights)
    count = 301
    ids, (low, high) = random_ids(count)
    tiers = np.arange(count, dtype=np.uint8) % len(survey.tiers)
    symbols = np.random.default_rng(1).integers(0, 2, (count, survey.answers)).astype(kind)
    counter = Counter(survey, ROUND)
    counter.add(low, high, tiers, list(np.ascontiguousarray(symbols.T)))
    assert counter.counts.tolist() == by_hand(survey, ids, tiers.tolist(), symbols.tolist())
    assert counter.invalid == 0


def test_chunks_and_the_places_where_they_meet_change_nothing() -> None:
    survey = make_survey({"epsilon": 1.0})
    for count in (1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 7):
        _, (low, high) = random_ids(count)
        symbols = np.zeros(count, np.uint8)
        counter = Counter(survey, ROUND)
        counter.add(low, high, NO_TIERS, [symbols])
        coins = Coins(survey, ROUND)
        cells = coins.locate(np.stack([low, high]), NO_TIERS, symbols.astype(np.uint16))
        expected = np.bincount(cells, minlength=coins.cells)
        assert counter.counts.tolist() == expected.tolist()


def test_symbols_and_cells_that_do_not_exist_are_counted_apart() -> None:
    survey = make_survey({"epsilon": 1.0})
    _, (low, high) = random_ids(3)
    counter = Counter(survey, ROUND)
    counter.add(low, high, NO_TIERS, [np.array([0, 60_000, 0], np.uint16)])
    assert (int(counter.counts.sum()), counter.invalid) == (2, 1)
    counter.add_cells(np.array([0, -1, 1 << 30], np.int32))
    assert (int(counter.counts.sum()), counter.invalid) == (3, 3)


def test_counters_add_up_and_take_back() -> None:
    survey = make_survey({"epsilon": 1.0})
    one, other = Counter(survey, ROUND), Counter(survey, ROUND)
    one.add_cells(np.array([0, 1, 1], np.int32))
    other.add_cells(np.array([1, 2], np.int64))
    one += other
    assert one.counts[:3].tolist() == [1, 3, 1]
    one -= other
    assert one.counts[:3].tolist() == [1, 2, 0]
