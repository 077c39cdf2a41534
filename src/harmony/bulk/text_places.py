"""Places of texts in bulk: which of a step's kept prefixes each text has, and how it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Words
from ..text import TextPlaces
from .coded import placed
from .columns import CodeColumn, SpelledTexts
from .spelling import WORD, spell


def coded_text(source: Any, asked: TextPlaces, as_devices: bool) -> CodeColumn:
    """Return the column of a text attribute: texts, or texts that were spelled before."""
    spelled = source if isinstance(source, SpelledTexts) else spell(source, asked.text, as_devices)
    return placed(lambda start, stop: places_of(spelled[start:stop], asked), asked, drawn=False)


def places_of(spelled: SpelledTexts, asked: TextPlaces) -> NDArray[np.int32]:
    """Return each text's place, as `harmony_device.text.Text.read` does.

    >>> from harmony.text import Text, TextCode
    >>> text = Text("word", bits=8, code=TextCode.uniform("abc"))
    >>> spelled = SpelledTexts(np.array([0b01110000 << 56, 0], np.uint64), np.array([True, False]))
    >>> places_of(spelled, text.places(["0", "1"], 2, [])).tolist()
    [3, 8]
    """
    other = len(asked.values) - 1
    found = np.full(len(spelled), other, np.int32)
    if asked.prefixes:
        depth = len(asked.prefixes[0])
        place, is_kept = _search(spelled.bits >> _shift(depth) if depth else None, asked.prefixes,
                                 len(spelled))  # fmt: skip
        next_bits = spelled.bits << np.uint64(depth) >> _shift(asked.bits) if asked.bits else 0
        extended = (place << asked.bits) + next_bits
        found[is_kept] = extended[is_kept]
    if asked.strings:
        padded = [one.ljust(WORD, "0") for one in asked.strings]
        place, is_one = _search(spelled.bits, padded, len(spelled))
        found[is_one] = (len(asked.prefixes) << asked.bits) + place[is_one]
    found[~spelled.told] = other
    return found


def _shift(bits: int) -> np.uint64:
    return np.uint64(WORD - bits)


def _search(
    values: Words | None, listed: Sequence[str], rows: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the place of each value among listed bits, and whether it is one of them."""
    if values is None:
        return np.zeros(rows, np.int64), np.ones(rows, np.bool_)
    numbers = np.array([int(one, 2) for one in listed], np.uint64)
    order = np.argsort(numbers)
    near = order[np.minimum(np.searchsorted(numbers, values, sorter=order), len(numbers) - 1)]
    return near, numbers[near] == values
