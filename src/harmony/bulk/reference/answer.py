"""The answers of many devices at once, in NumPy: code a value, walk the table, count the symbol.

Each step repeats one in `harmony_device` bit for bit, for a group of answers: the codes from
`codes`, the walk from `tables`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Counts, Symbols, Words
from ..fields import (
    BASE,
    CIRCULANT,
    COMPLETE,
    HALF,
    INDEX,
    LISTED,
    LOOKUP,
    LOOKUPS,
    LOW_HALF,
    MULTIPLIER,
    NEGATIVE,
    POINTS,
    RUNNING,
    SPARE,
    VALUES,
    VECTOR,
    VECTORS,
    WIDTH,
    WORDS,
    Cells,
    Layout,
    Order,
)
from ..reader import ChunkColumns


def answer_columns(
    columns: ChunkColumns, order: Order, layout: Layout, cells: Cells, symbols: Symbols
) -> None:
    """Answer and count every attribute of a chunk that is not answered yet.

    A column that holds something unusual is left unanswered, unless it was examined.
    """
    by_answer = order.answers.reshape(-1, WORDS)
    answers = np.uint64(len(symbols) // columns.devices)
    for attribute in np.flatnonzero(~columns.answered).tolist():
        column = columns.array(attribute)
        if not columns.examined[attribute] and _is_unusual(column, attribute, layout):
            continue
        for group in range(attribute, len(layout.shapes), len(layout.numbers)):
            span = slice(int(order.starts[group]), int(order.starts[group + 1]))
            if span.start == span.stop:
                continue
            first, rounding, walking = by_answer[span].T.copy()
            row = (first & LOW_HALF).astype(np.int64)
            values = column[((first >> HALF) // answers).astype(np.int64)]
            if column.dtype.kind == "f":
                indices = _grid_indices(values, rounding, layout, attribute, group)
            else:
                indices = _linear_indices(values, row, rounding, layout, attribute, group)
            symbols[span] = sent = _walk(indices, walking, layout, group)
            if cells.lanes.shape[1]:
                place = cells.starts[group] + row * cells.widths[group] + sent
                np.add.at(cells.lanes[0], place, 1)
            rounding[:] = walking[:] = 0  # as the buffers are wiped: they tell what was answered
        columns.answered[attribute] = True


def _is_unusual(column: NDArray[Any], attribute: int, layout: Layout) -> bool:
    """Whether a column holds something that needs a closer look."""
    if column.dtype.kind == "f":
        low, high, _ = layout.numbers[attribute]
        return not bool(((low <= column) & (column <= high)).all())
    code = layout.codes[attribute]
    if not code[COMPLETE]:
        return True
    return bool(column.min() < code[BASE]) or bool(column.max() >= code[BASE] + code[LOOKUPS])


def _grid_indices(
    values: NDArray[Any], rounding: Words, layout: Layout, attribute: int, group: int
) -> Counts:
    """Code numbers: clip them, and round each to one of the two points of the grid beside it."""
    low, high, missing = layout.numbers[attribute]
    points = int(layout.shapes[group, POINTS])
    numbers = values.astype(np.float64)
    numbers = np.where(np.isnan(numbers), missing, numbers)
    none = np.flatnonzero(np.isnan(numbers))
    numbers[none] = low
    numbers = np.clip(numbers, low, high)
    position = (numbers - low) / (high - low) * (points - 1)
    left = np.minimum(position.astype(np.int64), points - 2)
    threshold = ((position - left) * 2.0**53).astype(np.uint64)
    drawn = _below(rounding[none], points)
    rounding >>= SPARE
    indices: Counts = left + (rounding < threshold)
    indices[none] = drawn
    return indices


def _below(words: Words, bound: int) -> Counts:
    """Return what people without an answer draw, with the word that others round with."""
    return ((words >> HALF) * np.uint64(bound) >> HALF).astype(np.int64)


def _linear_indices(
    values: NDArray[Any], row: Counts, rounding: Words, layout: Layout, attribute: int, group: int
) -> Counts:
    """Code categories, each under its row."""
    code, shape = layout.codes[attribute], layout.shapes[group]
    number = layout.lookups[code[LOOKUP] + (values.astype(np.int64) - code[BASE])]
    none = np.flatnonzero(number < 0)
    number[none] = _drawn(rounding[none], int(code[LISTED]), int(code[NEGATIVE]))
    known = int(shape[VALUES])
    if known:
        coded: Counts = layout.indices[shape[INDEX] + row * known + number].astype(np.int64)
        return coded
    g, points = np.uint64(shape[POINTS]), shape[VECTORS]
    multiplier = layout.multipliers[shape[MULTIPLIER] + row // points]
    vector = layout.vectors[shape[VECTOR] + row % points]
    digits, total = number.astype(np.uint64), np.zeros(len(row), np.uint64)
    while vector.any():
        total += vector % g * (digits % g)
        vector //= g
        digits //= g
    indices: Counts = (multiplier * (total % g) % g).astype(np.int64)
    return indices


def _drawn(words: Words, listed: int, negative: int) -> Counts:
    """Return the places of values for people who have none: each as likely, and so is its sign."""
    if not negative:
        return _below(words, listed)
    number = _below(words, 2 * listed)
    return np.where(number < listed, number, number - listed + negative)


def _walk(indices: Counts, walking: Words, layout: Layout, group: int) -> Counts:
    """Turn indices into symbols: count the running sums of the table that each draw reaches."""
    shape = layout.shapes[group]
    width, first = int(shape[WIDTH]), int(shape[RUNNING])
    walking >>= SPARE
    if shape[CIRCULANT]:  # stored as its first row; the others are that one rotated
        reached = np.searchsorted(layout.running[first : first + width], walking, side="right")
        return (reached + indices) % width
    start = first + indices * width
    reached = np.zeros(len(indices), np.int64)
    for step in (1 << bit for bit in reversed(range((width - 1).bit_length()))):
        probe = np.minimum(reached + step, width)
        reached = np.where(layout.running[start + probe - 1] <= walking, probe, reached)
    return reached
