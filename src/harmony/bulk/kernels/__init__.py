"""What is compiled: coins, which see no value; answers, which do; and counts of what was sent.

Importing this imports Numba, which takes a while: `backend.py` does, where it pays.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Symbols, Tiers, Words
from ..fields import Cells, Coin, Groups, Layout, Order, Places, Rows
from ..reader import ChunkColumns
from .answer import answer as _answer
from .coin import arrange
from .coin import assign as _assign
from .count import locate, spread

__all__ = ["answer_columns", "arrange", "assign", "locate", "spread"]

BLOCK = 1 << 11
"""Devices whose coins are drawn before they are looked at: 16 kB of words for each answer."""


def assign(ids: Words, coin: Coin, tiers: Tiers, group: Groups, row: Rows) -> None:
    """Fill in what the devices `ids` are asked, device after device, answer after answer."""
    block = np.empty(coin.answers * BLOCK, np.uint64)
    pool = np.empty(len(coin.weights) + coin.answers, np.int64)
    _assign(ids, coin, tiers, block, pool, group, row)


def answer_columns(
    columns: ChunkColumns,
    order: Order,
    layout: Layout,
    cells: Cells,
    places: Places,
    symbols: Symbols,
) -> None:
    """Answer and count every attribute of a chunk that is not answered yet.

    One that reads a column with something unusual is left unanswered until that was examined.
    """
    _answer(
        columns.addresses,
        columns.kinds,
        columns.devices,
        columns.states,
        columns.answered,
        order,
        layout,
        cells,
        places,
        symbols,
    )
