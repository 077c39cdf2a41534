"""The flat arrays that the reference and the kernels both read, their fields and constants."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Counts, Floats, Words

Groups = NDArray[np.uint32]
Rows = NDArray[np.uint32]
Places = NDArray[np.int32]

HALF = np.uint64(32)
LOW_HALF = np.uint64(0xFFFFFFFF)
"""A coin's word is two draws; the first word of an answer is its place (upper half) and its row."""

SPARE = np.uint64(11)
"""Bits of a random word that are not used: a draw has 53."""

WORDS = 3
"""Words of an answer in order: place and row, the word to round with, the word to walk with."""

GUIDE_BITS = 8
GUIDES = 1 << GUIDE_BITS

LANES = 4
"""Copies of the counts that take turns, so that equal symbols in a row need not wait."""

NUMBER_KINDS = (np.float64, np.float32)
CODE_KINDS = (np.int8, np.int16, np.int32, np.int64)
"""The types of columns that the kernels read in place; their order is the number of their kind."""

# The columns of `Layout.shapes`, of `Layout.codes` and of `Layout.parts`.
(
    POINTS, WIDTH, RUNNING, GUIDE, MULTIPLIER, VECTOR, VECTORS, INDEX, VALUES, CIRCULANT, FIELDS,
) = range(11)  # fmt: skip
BASE, LOOKUP, LOOKUPS, COMPLETE, CODE_FIELDS = range(5)
COLUMN, PLACES, NEGATIVE, EDGE, EDGES, PART_FIELDS = range(6)

MOST_PARTS = 2
"""Of an attribute: a crosstab has two."""

UNKNOWN, USUAL, UNUSUAL = range(3)
"""What is known of a column's rows: nothing, that they can be answered, that they need a look."""


class Coin(NamedTuple):
    """What the coins of a round are drawn from.

    A group is an attribute of a tier: the number of the tier times the number of attributes,
    plus the attribute's.
    """

    answers: int
    seed: Words
    attribute_by_draw: NDArray[np.uint16]
    """Which attribute each value of the first draw names, or nothing: see `weights`."""
    weights: Counts
    rows: Counts
    """The number of rows by tier and attribute."""


class Order(NamedTuple):
    """Answers group after group: a group's lie from its own of `starts` to the next.

    Each is three words: its place in the flat assignment (the upper half) and its row, and two
    random words.
    """

    starts: Words
    answers: Words

    @property
    def places(self) -> Words:
        """Where in the flat assignment each answer belongs."""
        return self.answers[::WORDS] >> HALF


class Cells(NamedTuple):
    """Where each group's counts start, how many symbols it has, and the counts, in lanes."""

    starts: Counts
    widths: Counts
    lanes: Counts


class Layout(NamedTuple):
    """Codes and tables laid out flat: the kernel answers all attributes of a chunk in one call.

    `shapes` has a row for each group, which says where in the flat arrays its tables begin and
    how large they are; `numbers` and `codes` have one for each column, and `parts` two for each
    attribute, of which the second says that there is no column (-1) unless it is a crosstab.
    """

    shapes: Counts
    running: Words
    """The running sums of each table's rows; of a circulant table, of its first row."""
    guide: NDArray[np.uint16]
    """For each row of a table, where the highest bits of a draw already lead."""
    multipliers: Words
    vectors: Words
    indices: NDArray[np.uint16]
    """The index of every row and value of a linear code, where that is a small table."""
    parts: Counts
    """For each part its column, its places, where negative signed ones begin, and its bins."""
    edges: Floats
    """The edges of all bins."""
    numbers: Floats
    """The range of each column of numbers, and the value for `missing`, NaN where one is drawn."""
    codes: Counts
    """For each other column its lookup."""
    lookups: NDArray[np.int32]
    """The place of the value that each code of a column stands for, -1 where one is drawn."""
