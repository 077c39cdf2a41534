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
    COLUMN,
    COMPLETE,
    EDGE,
    EDGES,
    HALF,
    INDEX,
    LOOKUP,
    LOOKUPS,
    LOW_HALF,
    MOST_PARTS,
    MULTIPLIER,
    NEGATIVE,
    PLACES,
    POINTS,
    RUNNING,
    SPARE,
    UNKNOWN,
    UNUSUAL,
    USUAL,
    VALUES,
    VECTOR,
    VECTORS,
    WIDTH,
    WORDS,
    Cells,
    Layout,
    Order,
    Places,
)
from ..reader import ChunkColumns


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
    by_answer = order.answers.reshape(-1, WORDS)
    answers = np.uint64(len(symbols) // columns.devices)
    for attribute in np.flatnonzero(~columns.answered).tolist():
        parts = layout.parts[MOST_PARTS * attribute : MOST_PARTS * (attribute + 1)]
        parts = parts[parts[:, COLUMN] >= 0]
        usable = [_is_usable(columns, int(part[COLUMN]), layout) for part in parts]
        if not all(usable):  # both were looked at, so that both can be examined
            continue
        for group in range(attribute, len(layout.shapes), len(columns.answered)):
            span = slice(int(order.starts[group]), int(order.starts[group + 1]))
            if span.start == span.stop:
                continue
            first, rounding, walking = by_answer[span].T.copy()
            row = (first & LOW_HALF).astype(np.int64)
            device = ((first >> HALF) // answers).astype(np.int64)
            size = int(layout.shapes[group, POINTS]) if not parts[0, PLACES] else None
            indices = np.zeros(len(row), np.int64)
            for part in parts:
                values = columns.array(int(part[COLUMN]))[device]
                find = _number_places if values.dtype.kind == "f" else _code_places
                found = find(values, rounding, layout, part, size or int(part[PLACES]))
                indices = indices * (size or int(part[PLACES])) + found
                rounding <<= HALF  # the second part of a crosstab takes the low half
            if size is None:
                indices = _linear_indices(indices, row, layout, group)
            symbols[span] = sent = _walk(indices, walking, layout, group)
            if cells.lanes.shape[1]:
                place = cells.starts[group] + row * cells.widths[group] + sent
                np.add.at(cells.lanes[0], place, 1)
            rounding[:] = walking[:] = 0  # as the buffers are wiped: they tell what was answered
        columns.answered[attribute] = True


def _is_usable(columns: ChunkColumns, place: int, layout: Layout) -> bool:
    """Whether a column can be answered from: it is looked at when it is first needed."""
    if columns.states[place] == UNKNOWN:
        unusual = _is_unusual(columns.array(place), place, layout)
        columns.states[place] = UNUSUAL if unusual else USUAL
    return bool(columns.states[place] == USUAL)


def _is_unusual(column: NDArray[Any], place: int, layout: Layout) -> bool:
    """Whether a column holds something that needs a closer look."""
    if column.dtype.kind == "f":
        low, high, _ = layout.numbers[place]
        return not bool(((low <= column) & (column <= high)).all())
    code = layout.codes[place]
    if not code[COMPLETE]:
        return True
    return bool(column.min() < code[BASE]) or bool(column.max() >= code[BASE] + code[LOOKUPS])


def _number_places(
    values: NDArray[Any], rounding: Words, layout: Layout, part: Counts, size: int
) -> Counts:
    """Find the places of numbers: their bins, or one of the two points of a grid beside each."""
    low, high, missing = layout.numbers[part[COLUMN]]
    numbers = values.astype(np.float64)
    numbers = np.where(np.isnan(numbers), missing, numbers)
    none = np.flatnonzero(np.isnan(numbers))
    numbers[none] = low
    numbers = np.clip(numbers, low, high)
    places: Counts
    if part[EDGES]:
        edges = layout.edges[part[EDGE] : part[EDGE] + part[EDGES]]
        places = np.minimum(np.searchsorted(edges, numbers, side="right") - 1, size - 1)
    else:
        position = (numbers - low) / (high - low) * (size - 1)
        left = np.minimum(position.astype(np.int64), size - 2)
        threshold = ((position - left) * 2.0**53).astype(np.uint64)
        places = left + (rounding >> SPARE < threshold)
    places[none] = _below(rounding[none], size)
    return places


def _below(words: Words, bound: int) -> Counts:
    """Return what people without an answer draw, with the word that others round with."""
    return ((words >> HALF) * np.uint64(bound) >> HALF).astype(np.int64)


def _code_places(
    values: NDArray[Any], rounding: Words, layout: Layout, part: Counts, size: int
) -> Counts:
    """Find the places of coded values."""
    code = layout.codes[part[COLUMN]]
    places: Counts = layout.lookups[code[LOOKUP] + (values.astype(np.int64) - code[BASE])]
    places = places.astype(np.int64)
    none = np.flatnonzero(places < 0)
    places[none] = _drawn(rounding[none], size, int(part[NEGATIVE]))
    return places


def _linear_indices(number: Counts, row: Counts, layout: Layout, group: int) -> Counts:
    """Code places, each under its row."""
    shape = layout.shapes[group]
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
