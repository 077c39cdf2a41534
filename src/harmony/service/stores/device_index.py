"""An index of devices: which have reported in a round, and where their reports are.

Open addressing over 16-byte ids, compiled.  It only ever holds what the database holds: see
`stores.sqlite` for how it is kept so.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numba import njit

from harmony.arrays import Counts, Words

_compiled: Any = njit(cache=True, nogil=True, boundscheck=False)

FIRST_SLOTS = 1 << 10


class DeviceIndex:
    """Devices numbered in the order in which they were claimed.

    >>> index = DeviceIndex()
    >>> index.claim(np.array([[7, 8, 7], [0, 0, 0]], np.uint64)).tolist()
    [-1, -1, 0]
    >>> index.find(np.array([[8, 9], [0, 0]], np.uint64)).tolist()
    [1, -1]
    """

    def __init__(self) -> None:
        # Random multipliers: nobody can choose ids that all fall on one slot.
        drawn = np.frombuffer(os.urandom(16), np.uint64)
        self._multipliers = drawn | np.uint64(1)
        self._slots = _empty_slots(FIRST_SLOTS)
        self.numbers = 0
        """How many numbers have been given."""

    def claim(self, ids: Words) -> Counts:
        """Add the devices that are new; return -1 for those and the others' numbers."""
        self._reserve(ids.shape[1])
        found = np.empty(ids.shape[1], np.int64)
        self.numbers = int(_claim(ids, *self._slots, self._multipliers, self.numbers, found))
        return found

    def find(self, ids: Words) -> Counts:
        """Return each device's number, -1 where it is not here."""
        found = np.empty(ids.shape[1], np.int64)
        _find(ids, *self._slots, self._multipliers, found)
        return found

    def skip(self, count: int) -> None:
        """Leave `count` numbers without a device."""
        self.numbers += count

    def _reserve(self, more: int) -> None:
        slots = len(self._slots[2])
        if 2 * (self.numbers + more) <= slots:
            return
        while 2 * (self.numbers + more) > slots:
            slots *= 2
        grown = _empty_slots(slots)
        _move(*self._slots, *grown, self._multipliers)
        self._slots = grown


def _empty_slots(count: int) -> tuple[Words, Words, Counts]:
    """Return the low words, the high words and the numbers of so many empty slots."""
    return (np.empty(count, np.uint64), np.empty(count, np.uint64), np.full(count, -1, np.int64))


@_compiled
def _slot(low, high, lows, highs, numbers, multipliers):  # type: ignore[no-untyped-def]
    """Return the slot that holds this device, or the empty one where it belongs."""
    mask = np.uint64(len(numbers) - 1)
    mixed = low * multipliers[0] + high * multipliers[1]
    # A product's upper bits depend on all bits below them, so fold them down and multiply again.
    mixed = (mixed ^ (mixed >> np.uint64(32))) * multipliers[0]
    slot = (mixed >> np.uint64(32)) & mask
    while numbers[slot] >= 0 and not (lows[slot] == low and highs[slot] == high):
        slot = (slot + np.uint64(1)) & mask
    return slot


@_compiled
def _claim(ids, lows, highs, numbers, multipliers, number, found):  # type: ignore[no-untyped-def]
    for device in range(ids.shape[1]):
        low, high = ids[0, device], ids[1, device]
        slot = _slot(low, high, lows, highs, numbers, multipliers)
        found[device] = numbers[slot]
        if numbers[slot] < 0:
            lows[slot], highs[slot], numbers[slot] = low, high, number
            number += 1
    return number


@_compiled
def _find(ids, lows, highs, numbers, multipliers, found):  # type: ignore[no-untyped-def]
    for device in range(ids.shape[1]):
        slot = _slot(ids[0, device], ids[1, device], lows, highs, numbers, multipliers)
        found[device] = numbers[slot]


@_compiled
def _move(lows, highs, numbers, new_lows, new_highs, new_numbers, multipliers):  # type: ignore[no-untyped-def]
    for old in range(len(numbers)):
        if numbers[old] >= 0:
            low, high = lows[old], highs[old]
            slot = _slot(low, high, new_lows, new_highs, new_numbers, multipliers)
            new_lows[slot], new_highs[slot], new_numbers[slot] = low, high, numbers[old]
