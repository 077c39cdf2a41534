"""Coins in bulk: what each of many devices was assigned, and which cells their symbols count in.

`harmony_device.coins.assign` is the same for one device; the two agree bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arrays import Counts, Symbols, Tiers, Words
from ..rounds import Round
from ..tally import cell_shapes
from .buffers import Desk
from .jit import HALF
from .kernels import coin as asking
from .kernels.answer import LANES

if TYPE_CHECKING:
    from ..survey import Survey

Cells = tuple[Counts, Counts, Counts]
"""Where each group's counts start, how many symbols it has, and the counts, in lanes."""

MAX_NAMED = 1 << 18
"""The most that the weights of a coin that is looked up add up to."""


@dataclass(frozen=True)
class Assignment:
    """What every answer is about, flat: device after device, answer after answer.

    The group is the number of the tier times the number of attributes, plus the attribute's.
    """

    group: NDArray[np.uint32]
    row: NDArray[np.uint32]


@dataclass(frozen=True)
class Order:
    """Answers group after group, as the kernel takes them.

    A group's answers lie from its own of `starts` to the next.  Each is three words: its place
    in the flat assignment (the upper half) and its row, and two random words.
    """

    starts: Words
    answers: Words

    @property
    def places(self) -> Words:
        """Where in the flat assignment each answer belongs."""
        return self.answers[::3] >> HALF


class Coins:
    """The coins of one survey in one round.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi"), hm.Boolean("nfc")], epsilon=1.0)
    >>> coins = Coins(survey, hm.Round("1", bytes(16)))
    >>> coins.assign(device_ids(0, 5), NO_TIERS).group.tolist()
    [1, 0, 0, 0, 0]
    """

    def __init__(self, survey: Survey, round: Round) -> None:
        self.answers = survey.answers
        self.weights = np.array(survey.weights, np.int64)
        self.named = _named(self.weights, self.answers)
        self.seed = np.frombuffer(round.seed, "<u8")
        shapes = np.array(cell_shapes(survey), np.int64)
        self.rows = np.ascontiguousarray(shapes[:, :, 0])
        self.widths = np.ascontiguousarray(shapes[:, :, 1].reshape(-1))
        sizes = self.rows.reshape(-1) * self.widths
        self.cells = int(sizes.sum())
        self.starts = np.cumsum(sizes) - sizes
        self._coin = self.answers, self.seed, self.named, self.weights, self.rows

    def assign(self, ids: Words, tiers: Tiers) -> Assignment:
        """Return what the devices `ids` (low words, high words) are asked."""
        group, row = np.empty((2, ids.shape[1] * self.answers), np.uint32)
        asking.assign(ids, self._coin, tiers, group, row)
        return Assignment(group, row)

    def ask(self, ids: Words, tiers: Tiers, words: Words, desk: Desk) -> tuple[Assignment, Order]:
        """Return what the devices are asked, and their answers to be, each with its two words."""
        size = len(words)
        group, row = desk.array("group", size, np.uint32), desk.array("row", size, np.uint32)
        starts = desk.array("starts", len(self.widths) + 1, np.uint64)
        order = desk.array("order", 3 * size, np.uint64)
        asking.ask(ids, self._coin, tiers, words.reshape(-1), group, row, starts, order)
        return Assignment(group, row), Order(starts, order)

    def lanes(self, cells: int | None = None) -> Cells:
        """Return lanes to count in: empty ones for every cell, or none."""
        width = self.cells if cells is None else cells
        return self.starts, self.widths, np.zeros((LANES, width), np.int64)

    def count(self, assigned: Assignment, symbols: Symbols, counts: Counts) -> int:
        """Add the symbols to flat `counts`; return how many are in no table of theirs."""
        wrong = asking.count(
            assigned.group, assigned.row, symbols, self.starts, self.widths, counts
        )
        return int(wrong)

    def locate(self, ids: Words, tiers: Tiers, symbols: Symbols) -> Counts:
        """Return the place in a tally's flat counts of every answer, -1 where it has none."""
        assigned = self.assign(ids, tiers)
        cells = np.empty(len(symbols), np.int64)
        asking.locate(assigned.group, assigned.row, symbols, self.starts, self.widths, cells)
        return cells


def _named(weights: Counts, answers: int) -> NDArray[np.uint16]:
    """Return which attribute each value of the first draw names, where that is a small table."""
    small = answers == 1 and weights.sum() <= MAX_NAMED
    return np.repeat(np.arange(len(weights), dtype=np.uint16), weights if small else 0)


def device_ids(first: int, count: int, desk: Desk | None = None) -> Words:
    """Return the ids of simulated devices `first`..: their low words, then their high words."""
    ids = (desk or Desk()).array("ids", 2 * count, np.uint64).reshape(2, count)
    asking.number(np.uint64(first), ids)
    return ids
