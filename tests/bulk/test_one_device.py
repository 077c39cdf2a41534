"""The bulk path and the device's own functions agree bit for bit."""

from __future__ import annotations

import os
from fractions import Fraction

import numpy as np
import pytest

import harmony as hm
from harmony.arrays import NO_TIERS
from harmony.bulk.coins import Coins
from harmony.bulk.collect import Randomizer, keystream
from harmony.bulk.reference.coin import coin_words
from harmony.mechanisms import Grid
from harmony_device.coins import Draws, assign, siphash24

from .surveys import SURVEYS, make_survey, random_ids

pytestmark = pytest.mark.usefixtures("either_backend")


def test_bulk_coin_words_are_siphash_of_id_and_counter() -> None:
    seed = os.urandom(16)
    ids, packed = random_ids(500)
    for counter in (0, 1, 7):
        words = coin_words(packed[0], packed[1], np.frombuffer(seed, "<u8"), counter)
        expected = [siphash24(seed, one + counter.to_bytes(4, "little")) for one in ids]
        assert words.tolist() == expected


def test_siphash_matches_its_authors_published_vector() -> None:
    assert siphash24(bytes(range(16)), bytes(range(15))) == 0xA129CA6149BE45E5


def test_draws_are_near_uniform() -> None:
    """Chi-square of 20,000 draws over 100 bins; false alarms: one in 100,000 seeds, one fixed."""
    counts = np.zeros(100)
    for device in range(10_000):
        draws = Draws(bytes(16), device.to_bytes(16, "little"))
        counts[draws.below(100)] += 1
        counts[draws.below(100)] += 1
    assert ((counts - 200) ** 2 / 200).sum() < 170


@pytest.mark.parametrize("weights", [(1, 1, 1, 1, 1), (5, 1, 2, 1, 3)])
@pytest.mark.parametrize("options", SURVEYS.values(), ids=SURVEYS.keys())
def test_bulk_assignments_equal_the_devices_own(options: dict, weights: tuple[int, ...]) -> None:
    survey = make_survey(options, weights)
    round_ = hm.Round.open("1")
    ids, packed = random_ids(300)
    tiers = np.arange(300, dtype=np.uint8) % len(survey.tiers)
    given = tiers if len(survey.tiers) > 1 else NO_TIERS
    assigned = Coins(survey, round_).assign(packed, given)
    attribute = assigned.group % len(survey.attributes)
    pairs = list(zip(attribute.tolist(), assigned.row.tolist(), strict=True))
    expected = [
        pair
        for one, tier in zip(ids, tiers.tolist(), strict=True)
        for pair in assign(round_.seed, one, survey.weights, survey.rows(tier), survey.answers)
    ]
    assert pairs == expected


@pytest.mark.parametrize("options", SURVEYS.values(), ids=SURVEYS.keys())
def test_bulk_symbols_equal_the_devices_own(options: dict) -> None:
    survey = make_survey(options)
    n = 1500
    rng = np.random.default_rng(3)
    table = {
        "level": rng.normal(2, 4, n).clip(-3, 7),
        "os": [f"v{place}" for place in rng.integers(0, 1000, n)],
        "size": rng.integers(0, 16, n),
        "age": rng.uniform(0, 100, n),
        "six": rng.integers(1, 7, n),
    }
    tiers = np.arange(n) % len(survey.tiers)
    devices = Randomizer(survey, table, tiers=tiers)
    chunk = devices.chunk(0, n)
    assigned = devices.coins.assign(chunk.ids, chunk.tiers)
    words = keystream(devices.key, 0, n * survey.answers)
    for place in range(n * survey.answers):
        device, tier = place // survey.answers, int(tiers[place // survey.answers])
        asked = int(assigned.group[place]) - tier * len(survey.attributes)
        attribute, mechanism = survey.attributes[asked], survey.mechanisms[tier][asked]
        round_word, table_word = map(int, words[place])
        value = table[attribute.name][device]
        if isinstance(mechanism, Grid):
            index = mechanism.code.index(float(value), attribute.low, attribute.high, round_word)
        else:
            number = (
                sum(value >= edge for edge in attribute.edges[1:-1])
                if attribute.name == "age"
                else list(attribute.values).index(value)
            )
            index = mechanism.code.index(number, int(assigned.row[place]))
        assert mechanism.table.walk(index, table_word >> 11) == chunk.symbols[place]


def test_the_keystream_can_be_entered_anywhere() -> None:
    key = os.urandom(32)
    whole = keystream(key, 0, 1000)
    assert np.array_equal(whole[400:], keystream(key, 400, 600))


def test_the_walk_lands_on_the_symbol_whose_running_count_first_exceeds_the_draw() -> None:
    """At every boundary of the running counts, on both sides."""
    grid = Grid.design(Fraction(1))
    running = np.cumsum(np.array(grid.table.counts), axis=1)
    for index in range(grid.table.inputs):
        for symbol, edge in enumerate(running[index].tolist()):
            assert grid.table.walk(index, edge - 1) == symbol
            if edge < 2**53:
                assert grid.table.walk(index, edge) == symbol + 1
