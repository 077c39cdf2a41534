"""Coins in bulk: what each of many devices was assigned, and which cells their symbols count in.

`harmony_device.coins.assign` is the same for one device; the two agree bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arrays import NO_TIERS, Counts, Symbols, Tiers, Words
from ..errors import SurveyError
from ..rounds import Round
from ..tally import cell_shapes
from .backend import backend
from .buffers import Buffers
from .fields import LANES, WORDS, Cells, Coin, Order

if TYPE_CHECKING:
    from ..survey import Survey

MAX_NAMED = 1 << 18
"""The most that the weights of a coin whose first draw is looked up add up to."""


@dataclass(frozen=True)
class Assignment:
    """What every answer is about, flat: device after device, answer after answer.

    The group is the number of the tier times the number of attributes, plus the attribute's.
    """

    group: NDArray[np.uint32]
    row: NDArray[np.uint32]


class Coins:
    """The coins of one survey in one round.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi"), hm.Boolean("nfc")], epsilon=1.0)
    >>> coins = Coins(survey, hm.Round("1", bytes(16)))
    >>> coins.assign(device_ids(0, 5, Buffers()), tiers=np.empty(0, np.uint8)).group.tolist()
    [1, 0, 0, 0, 0]
    """

    def __init__(self, survey: Survey, round: Round) -> None:
        weights = np.array(survey.weights, np.int64)
        shapes = np.array(cell_shapes(survey), np.int64)
        rows = np.ascontiguousarray(shapes[:, :, 0])
        named = _attribute_by_draw(weights, survey.answers)
        self.coin = Coin(survey.answers, _seed(survey.coin_seed(round)), named, weights, rows)
        self._places = None if survey.every is None else _places(survey.seeds[1], survey.every)
        self._turn = 0 if survey.every is None else _turn(survey, round)
        self.widths = np.ascontiguousarray(shapes[:, :, 1].reshape(-1))
        sizes = rows.reshape(-1) * self.widths
        self.cells = int(sizes.sum())
        self.starts = np.cumsum(sizes) - sizes

    def assign(self, ids: Words, tiers: Tiers) -> Assignment:
        """Return what the devices `ids` (low words, high words) are asked."""
        size = ids.shape[1] * self.coin.answers
        group, row = np.empty((2, size), np.uint32)
        ids, tiers = np.ascontiguousarray(ids), np.ascontiguousarray(tiers)
        backend(size).assign(ids, self.coin, tiers, group, row)
        return Assignment(group, row)

    def are_due(self, ids: Words) -> NDArray[np.bool_]:
        """Return whether each device answers in this round: always, without rotation.

        A device's place among the rounds is what a coin of so many equal attributes would name.
        """
        if self._places is None:
            return np.ones(ids.shape[1], bool)
        place, row = np.empty((2, ids.shape[1]), np.uint32)
        backend(place.size).assign(np.ascontiguousarray(ids), self._places, NO_TIERS, place, row)
        return np.asarray(place == self._turn)

    def ask(self, ids: Words, tiers: Tiers, random: Words, buffers: Buffers) -> Order:
        """Return the answers that devices are to give, in order, each with its two random words."""
        size, groups = len(random), len(self.widths)
        group, row = buffers.array("group", size, np.uint32), buffers.array("row", size, np.uint32)
        starts = buffers.array("starts", groups + 1, np.uint64)
        order = buffers.array("order", WORDS * size, np.uint64)
        there = backend()
        there.assign(ids, self.coin, tiers, group, row)
        there.arrange(group, row, random.reshape(-1), starts, order)
        return Order(starts, order)

    def lanes(self, cells: int | None = None) -> Cells:
        """Return lanes to count in: empty ones for every cell, or none."""
        width = self.cells if cells is None else cells
        return Cells(self.starts, self.widths, np.zeros((LANES, width), np.int64))

    def locate(self, ids: Words, tiers: Tiers, symbols: Symbols) -> Counts:
        """Return the place in a tally's flat counts of every answer, -1 where it has none."""
        assigned = self.assign(ids, tiers)
        cells, symbols = np.empty(len(symbols), np.int64), np.ascontiguousarray(symbols)
        backend().locate(assigned.group, assigned.row, symbols, self.starts, self.widths, cells)
        return cells


def _attribute_by_draw(weights: Counts, answers: int) -> NDArray[np.uint16]:
    """Return which attribute each value of the first draw names, where that is a small table."""
    small = answers == 1 and weights.sum() <= MAX_NAMED
    return np.repeat(np.arange(len(weights), dtype=np.uint16), weights if small else 0)


def _seed(seed: bytes) -> Words:
    return np.frombuffer(seed, "<u8").astype(np.uint64)


def _places(seed: bytes, every: int) -> Coin:
    """Return the coin whose attribute is a device's place among `every` rounds."""
    equal = np.ones(every, np.int64)
    return Coin(1, _seed(seed), _attribute_by_draw(equal, 1), equal, equal[None, :])


def _turn(survey: Survey, round: Round) -> int:
    """Return the place of the devices that answer this round."""
    if round.number is None:
        raise SurveyError(
            f"round {round.label!r} has no 'number', which a survey with rotation needs"
        )
    return round.number % survey.every  # type: ignore[operator]  # it has rotation


def device_ids(first: int, count: int, buffers: Buffers) -> Words:
    """Return the ids of simulated devices `first`..: their low words, then their high words."""
    ids: Words = buffers.array("ids", 2 * count, np.uint64).reshape(2, count)
    np.add(_numbers(count), np.uint64(first), out=ids[0])
    ids[1] = 0
    return ids


@lru_cache(maxsize=4)
def _numbers(count: int) -> Words:
    return np.arange(count, dtype=np.uint64)
