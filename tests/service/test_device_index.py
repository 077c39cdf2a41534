"""The index of devices: a dictionary in all but speed and size."""

from __future__ import annotations

import random

import numpy as np
import pytest

from harmony.arrays import Words
from harmony.service.stores import device_index
from harmony.service.stores.device_index import FIRST_SLOTS, DeviceIndex

LARGE = 20_000


def words(devices: list[tuple[int, int]]) -> Words:
    return np.array(devices, np.uint64).reshape(-1, 2).T.copy()


class Model:
    """The same as a dictionary."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, int], int] = {}
        self.numbers = 0

    def claim(self, devices: list[tuple[int, int]]) -> list[int]:
        found = []
        for device in devices:
            found.append(self.known.get(device, -1))
            if device not in self.known:
                self.known[device] = self.numbers
                self.numbers += 1
        return found


@pytest.mark.parametrize("seed", range(5))
def test_it_finds_what_a_dictionary_would(seed: int) -> None:
    chance = random.Random(seed)
    index, model = DeviceIndex(), Model()
    for _ in range(60):
        # Few values in each word, so that devices repeat and share one word or the other.
        size = chance.randrange(0, 400)
        devices = [(chance.randrange(120), chance.randrange(120) << 40) for _ in range(size)]
        if chance.random() < 0.2:
            index.skip(3)
            model.numbers += 3
        assert index.claim(words(devices)).tolist() == model.claim(devices)
        assert index.numbers == model.numbers
        asked = [(chance.randrange(150), chance.randrange(150) << 40) for _ in range(50)]
        assert index.find(words(asked)).tolist() == [model.known.get(one, -1) for one in asked]
    assert len(model.known) > 2 * FIRST_SLOTS, "the index never grew"


def test_at_least_half_of_the_slots_stay_free() -> None:
    index = DeviceIndex()
    for first in range(0, 5 * FIRST_SLOTS, FIRST_SLOTS // 2):
        index.claim(words([(first + number, 0) for number in range(FIRST_SLOTS // 2)]))
        slots = len(index._slots[2])
        assert 2 * index.numbers <= slots <= max(FIRST_SLOTS, 4 * index.numbers)
        assert (index._slots[2] >= 0).sum() == index.numbers


@pytest.mark.parametrize(
    "pattern",
    [
        lambda number: (number, 0),
        lambda number: (0, number),
        lambda number: (number << 44, 0),
        lambda number: (0, number << 44),
        lambda number: (number, number),
    ],
    ids=["low", "high", "top of low", "top of high", "both"],
)
def test_devices_in_a_row_do_not_crowd_the_slots(
    pattern: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callable(pattern)
    drawn = random.Random(7)
    monkeypatch.setattr(device_index.os, "urandom", drawn.randbytes)
    index = DeviceIndex()
    index.claim(words([pattern(number) for number in range(LARGE)]))
    free = np.flatnonzero(index._slots[2] < 0)
    # At random, with a third of the slots taken, the longest row of taken slots has some 30.
    assert np.diff(free).max() < 200
