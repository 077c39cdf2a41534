"""The answers of many devices at once, compiled: code a value, walk the table, count the symbol.

This is the only bulk code that sees people's values next to what randomises them.  Each function
repeats one in `harmony_device` bit for bit: the codes from `codes`, the walk from `tables`.  The
conformance vectors hold both to that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray, types  # type: ignore[attr-defined]  # it is public
from numba.core import cgutils
from numba.extending import intrinsic

from ..jit import HALF, LINE, LOW_HALF, ONE, TRIPLE, TWO, compiled, prefetch

SPARE = np.uint64(11)
GUIDE_BITS = 8
GUIDES = 1 << GUIDE_BITS

LANES = 4
"""Copies of the counts that take turns, so that equal symbols in a row need not wait."""

AHEAD = 2048
"""Bytes of the next column that are fetched ahead of its turn."""

NUMBER_KINDS = (np.float64, np.float32)
CODE_KINDS = (np.int8, np.uint8, np.int16, np.int32, np.int64)
"""The types of columns that `answer` reads in place; their order is the number of their kind."""

# The columns of a program's `shapes`, and of its `codes`: see `program.py`.
(
    POINTS, WIDTH, RUNNING, GUIDE, MULTIPLIER, VECTOR, VECTORS, INDEX, VALUES, CIRCULANT, FIELDS,
) = range(11)  # fmt: skip
BASE, LOOKUP, LOOKUPS, COMPLETE = range(4)
TWO_53 = 9007199254740992.0


@compiled
def outside(column, low, high):  # type: ignore[no-untyped-def]
    """Count what does not lie between `low` and `high`; NaN does not."""
    count = 0
    for place in range(len(column)):
        count += not (low <= column[place] <= high)
    return count


@compiled
def extent(column):  # type: ignore[no-untyped-def]
    """Return the least and the greatest of some integers."""
    low = high = column[0]
    for place in range(len(column)):
        value = column[place]
        low = value if value < low else low
        high = value if value > high else high
    return low, high


@compiled
def _grid_indices(column, answers, order, span, number, points, indices):  # type: ignore[no-untyped-def]
    """Code a numeric attribute's values for part of `order`: round them to the grid."""
    low, high, missing = number
    for at in range(span[0], span[1]):
        place = order[TRIPLE * at] >> HALF
        value = np.float64(column[place if answers == 1 else place // answers])
        if np.isnan(value):
            value = missing
        clipped = low if value < low else high if value > high else value
        position = (clipped - low) / (high - low) * (points - 1)
        left = min(np.int64(position), points - 2)
        threshold = np.int64((position - left) * TWO_53)
        indices[at] = left + (np.int64(order[TRIPLE * at + ONE] >> SPARE) < threshold)


@compiled
def _linear_indices(column, answers, order, span, shape, code, program, indices):  # type: ignore[no-untyped-def]
    """Code a categorical attribute's values, each under its row."""
    _, _, _, _, multipliers, vectors, coded, _, lookup = program
    lookup, coded = lookup[code[LOOKUP] :], coded[shape[INDEX] :]
    multipliers = multipliers[shape[MULTIPLIER] :]
    vectors = vectors[shape[VECTOR] : shape[VECTOR] + shape[VECTORS]]
    base, values, g = code[BASE], np.uint64(shape[VALUES]), np.uint64(shape[POINTS])
    for at in range(span[0], span[1]):
        place, row = order[TRIPLE * at] >> HALF, order[TRIPLE * at] & LOW_HALF
        found = np.int64(column[place if answers == 1 else place // answers]) - base
        value = np.uint64(lookup[np.uint64(found)])
        if values:
            indices[at] = coded[row * values + value]
        else:
            indices[at] = _index(row, value, g, multipliers, vectors)


@compiled
def _index(row, value, g, multipliers, vectors):  # type: ignore[no-untyped-def]
    """The code of one value: its digits times the row's, added up, times the multiplier."""
    points = np.uint64(len(vectors))
    multiplier, vector = multipliers[row // points], vectors[row % points]
    total = np.uint64(0)
    while vector:
        total += vector % g * (value % g)
        vector //= g
        value //= g
    return multiplier * (total % g) % g


@compiled
def _walk(order, span, shape, running, guide, symbols):  # type: ignore[no-untyped-def]
    """Turn indices into symbols: count the running sums of the table that each draw reaches.

    `guide` says where the draw's highest bits already lead, so that few steps remain.  The
    first is taken without a branch, because none could foresee it.
    """
    width, turn = np.uint64(shape[WIDTH]), np.uint64(shape[CIRCULANT])
    first, guided = np.uint64(shape[RUNNING]), np.uint64(shape[GUIDE])
    # A circulant table is stored as its first row; the others are that one turned.
    across, guides = (ONE - turn) * width, (ONE - turn) * np.uint64(GUIDES)
    for at in range(span[0], span[1]):
        index, draw = np.uint64(symbols[at]), order[TRIPLE * at + TWO] >> SPARE
        start = first + index * across
        place = start + guide[guided + index * guides + (draw >> np.uint64(53 - GUIDE_BITS))]
        place += np.uint64(running[place] <= draw)
        while running[place] <= draw:
            place += ONE
        symbol = place - start + index * turn
        symbols[at] = symbol - width if symbol >= width else symbol


@compiled
def _count(order, span, group, cells, symbols):  # type: ignore[no-untyped-def]
    """Add the symbols of one group's answers to all lanes in turn, if there are lanes."""
    starts, widths, lanes = cells
    if not lanes.shape[1]:
        return
    start, width = np.uint64(starts[group]), np.uint64(widths[group])
    for at in range(span[0], span[1]):
        cell = start + (order[TRIPLE * at] & LOW_HALF) * width + symbols[at]
        lanes[at % np.uint64(LANES), cell] += 1


@compiled
def _answer_numbers(column, attribute, trusted, chunk, program, cells, symbols):  # type: ignore[no-untyped-def]
    """Answer one numeric attribute in every tier; return False if its values need a look."""
    numbers, shapes, running, guide = program[:4]
    starts, answers, order = chunk
    number = numbers[attribute, 0], numbers[attribute, 1], numbers[attribute, 2]
    if not trusted and outside(column, number[0], number[1]):
        return False
    for group in range(attribute, len(shapes), len(numbers)):
        span, shape = (starts[group], starts[group + 1]), shapes[group]
        _grid_indices(column, answers, order, span, number, shape[POINTS], symbols)
        _walk(order, span, shape, running, guide, symbols)
        _count(order, span, group, cells, symbols)
    return True


@compiled
def _answer_codes(column, attribute, trusted, chunk, program, cells, symbols):  # type: ignore[no-untyped-def]
    """Answer one categorical attribute in every tier; return False if its codes need a look."""
    numbers, shapes, running, guide = program[:4]
    starts, answers, order = chunk
    code = program[7][attribute]
    if not trusted:
        low, high = extent(column)
        if low < code[BASE] or high >= code[BASE] + code[LOOKUPS] or not code[COMPLETE]:
            return False
    for group in range(attribute, len(shapes), len(numbers)):
        span, shape = (starts[group], starts[group + 1]), shapes[group]
        _linear_indices(column, answers, order, span, shape, code, program, symbols)
        _walk(order, span, shape, running, guide, symbols)
        _count(order, span, group, cells, symbols)
    return True


@intrinsic
def _pointer(context, address):  # type: ignore[no-untyped-def]
    """Let compiled code read an array of any type by its address."""

    def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), codegen


@compiled
def answer(addresses, kinds, devices, trusted, chunk, program, cells, symbols, good):  # type: ignore[no-untyped-def]
    """Answer and count every attribute of a chunk, reading each column in place by its address.

    One call without the interpreter's lock does the whole chunk, so that threads do not wait
    for each other.  `good` tells which columns held nothing that needs a closer look; the
    others are left unanswered unless they are `trusted`.
    """
    for attribute in range(len(kinds)):
        if good[attribute]:
            continue
        kind, told = kinds[attribute], trusted[attribute]
        if attribute + 1 < len(kinds):
            for line in range(0, min(devices, AHEAD), LINE):
                prefetch(addresses[attribute + 1] + np.uint64(line))  # type: ignore[call-arg]
        at: Any = _pointer(addresses[attribute])  # type: ignore[call-arg]  # numba adds one
        if kind == 0:
            f8 = carray(at, devices, np.float64)
            good[attribute] = _answer_numbers(f8, attribute, told, chunk, program, cells, symbols)
        elif kind == 1:
            f4 = carray(at, devices, np.float32)
            good[attribute] = _answer_numbers(f4, attribute, told, chunk, program, cells, symbols)
        elif kind == 2:
            i1 = carray(at, devices, np.int8)
            good[attribute] = _answer_codes(i1, attribute, told, chunk, program, cells, symbols)
        elif kind == 3:
            u1 = carray(at, devices, np.uint8)
            good[attribute] = _answer_codes(u1, attribute, told, chunk, program, cells, symbols)
        elif kind == 4:
            i2 = carray(at, devices, np.int16)
            good[attribute] = _answer_codes(i2, attribute, told, chunk, program, cells, symbols)
        elif kind == 5:
            i4 = carray(at, devices, np.int32)
            good[attribute] = _answer_codes(i4, attribute, told, chunk, program, cells, symbols)
        else:
            i8 = carray(at, devices, np.int64)
            good[attribute] = _answer_codes(i8, attribute, told, chunk, program, cells, symbols)
