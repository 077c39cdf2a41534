"""The answers of many devices at once, compiled: code a value, walk the table, count the symbol.

This is the only compiled code that sees people's values next to what randomises them.  Each
function repeats one in `harmony_device` bit for bit: the codes from `codes`, the walk from
`tables`.  The conformance vectors hold both to that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray, types  # type: ignore[attr-defined]  # it is public
from numba.core import cgutils
from numba.extending import intrinsic

from ..fields import (
    BASE,
    CIRCULANT,
    COMPLETE,
    GUIDE,
    GUIDE_BITS,
    GUIDES,
    HALF,
    INDEX,
    LANES,
    LISTED,
    LOOKUP,
    LOOKUPS,
    LOW_HALF,
    MULTIPLIER,
    NEGATIVE,
    NUMBER_KINDS,
    POINTS,
    RUNNING,
    SPARE,
    VALUES,
    VECTOR,
    VECTORS,
    WIDTH,
    Cells,
    Layout,
    Order,
)
from ..jit import array, inlined, kernel, loop, named_tuple, part, read_only

_ONE, _TWO, _THREE = np.uint64(1), np.uint64(2), np.uint64(3)
_NUMBERS, _TWO_53 = np.uint64(len(NUMBER_KINDS)), 9007199254740992.0
_U16, _U64, _I64, _F64 = types.uint16, types.uint64, types.int64, types.float64
ORDER = named_tuple(Order, array(_U64), array(_U64))
CELLS = named_tuple(Cells, array(_I64), array(_I64), array(_I64, 2))
LAYOUT = named_tuple(
    Layout,
    array(_F64, 2), array(_I64, 2), array(_U64), array(_U16), array(_U64), array(_U64),
    array(_U16), array(_I64, 2), array(types.int32),
)  # fmt: skip


@intrinsic
def _pointer(context, address):  # type: ignore[no-untyped-def]
    """Let compiled code read an array of any type by its address."""

    def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), codegen


@inlined
def _outside(column, low, high):  # type: ignore[no-untyped-def]
    """Whether a number is not between `low` and `high`; NaN is not."""
    count = 0
    for place in range(len(column)):
        count += not (low <= column[place] <= high)
    return count > 0


@inlined
def _beyond(column, first, last):  # type: ignore[no-untyped-def]
    """Whether a code is not between `first` and `last`."""
    low = high = column[0]
    for place in range(len(column)):
        value = column[place]
        low = value if value < low else low
        high = value if value > high else high
    return low < first or high > last


@loop
def _is_unusual(column, number, code):  # type: ignore[no-untyped-def]
    """Whether a column holds something that needs a closer look."""
    address, kind, devices = column
    at: Any = _pointer(address)  # type: ignore[call-arg]  # numba adds one
    low, high, first, last = number[0], number[1], code[BASE], code[BASE] + code[LOOKUPS] - 1
    if kind == 0:
        return _outside(carray(at, devices, np.float64), low, high)
    if kind == 1:
        return _outside(carray(at, devices, np.float32), low, high)
    if not code[COMPLETE]:
        return True
    if kind == 2:
        return _beyond(carray(at, devices, np.int8), first, last)
    if kind == 3:
        return _beyond(carray(at, devices, np.int16), first, last)
    if kind == 4:
        return _beyond(carray(at, devices, np.int32), first, last)
    return _beyond(carray(at, devices, np.int64), first, last)


@part
def _below(word, bound):  # type: ignore[no-untyped-def]
    """What someone without an answer draws, with the word that others round with."""
    return np.int64(((word >> HALF) * np.uint64(bound)) >> HALF)


@loop
def _grid_indices(column, answers, order, span, number, points, indices):  # type: ignore[no-untyped-def]
    """Code a numeric attribute's values for part of `order`: round them to the grid."""
    address, kind, devices = column
    at: Any = _pointer(address)  # type: ignore[call-arg]  # numba adds one
    f8, f4 = carray(at, devices, np.float64), carray(at, devices, np.float32)
    low, high, missing = number[0], number[1], number[2]
    for one in range(span[0], span[1]):
        place = order[_THREE * one] >> HALF
        if answers > _ONE:
            place //= answers
        value = f8[place] if kind == 0 else np.float64(f4[place])
        if np.isnan(value):
            value = missing
            if np.isnan(value):
                indices[one] = _below(order[_THREE * one + _ONE], points)
                continue
        clipped = low if value < low else high if value > high else value
        position = (clipped - low) / (high - low) * (points - 1)
        left = min(np.int64(position), points - 2)
        threshold = np.int64((position - left) * _TWO_53)
        indices[one] = left + (np.int64(order[_THREE * one + _ONE] >> SPARE) < threshold)


@part
def _drawn(word, listed, negative):  # type: ignore[no-untyped-def]
    """The place of a value for someone who has none: each as likely, and so is its sign."""
    if negative:
        number = _below(word, 2 * listed)
        return number if number < listed else number - listed + negative
    return _below(word, listed)


@loop
def _linear_indices(column, answers, order, span, shape, code, layout, indices):  # type: ignore[no-untyped-def]
    """Code a categorical attribute's values, each under its row.

    A loop for each kind of column would be no quicker: which it is never changes on the way.
    """
    address, kind, devices = column
    at: Any = _pointer(address)  # type: ignore[call-arg]  # numba adds one
    i1, i2 = carray(at, devices, np.int8), carray(at, devices, np.int16)
    i4, i8 = carray(at, devices, np.int32), carray(at, devices, np.int64)
    lookup, coded = layout.lookups[code[LOOKUP] :], layout.indices[shape[INDEX] :]
    multipliers = layout.multipliers[shape[MULTIPLIER] :]
    vectors = layout.vectors[shape[VECTOR] : shape[VECTOR] + shape[VECTORS]]
    base, known, g = code[BASE], np.uint64(shape[VALUES]), np.uint64(shape[POINTS])
    listed, negative = code[LISTED], code[NEGATIVE]
    for one in range(span[0], span[1]):
        place, row = order[_THREE * one] >> HALF, order[_THREE * one] & LOW_HALF
        if answers > _ONE:
            place //= answers
        if kind == 2:
            found = np.int64(i1[place])
        elif kind == 3:
            found = np.int64(i2[place])
        elif kind == 4:
            found = np.int64(i4[place])
        else:
            found = i8[place]
        number = np.int64(lookup[np.uint64(found - base)])
        if number < 0:
            number = _drawn(order[_THREE * one + _ONE], listed, negative)
        value = np.uint64(number)
        if known:
            indices[one] = coded[row * known + value]
        else:
            indices[one] = _index(row, value, g, multipliers, vectors)


@loop
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


@loop
def _walk(order, span, shape, running, guide, symbols):  # type: ignore[no-untyped-def]
    """Turn indices into symbols: count the running sums of the table that each draw reaches.

    `guide` says where the draw's highest bits already lead, so that few steps remain.  The
    first is taken without a branch, because none could foresee it.
    """
    width, circulant = np.uint64(shape[WIDTH]), np.uint64(shape[CIRCULANT])
    first, guided = np.uint64(shape[RUNNING]), np.uint64(shape[GUIDE])
    # A circulant table is stored as its first row; the others are that one rotated.
    dense = _ONE - circulant
    across, guides = dense * width, dense * np.uint64(GUIDES)
    for at in range(span[0], span[1]):
        index, draw = np.uint64(symbols[at]), order[_THREE * at + _TWO] >> SPARE
        begin = first + index * across
        place = begin + guide[guided + index * guides + (draw >> np.uint64(53 - GUIDE_BITS))]
        place += np.uint64(running[place] <= draw)
        while running[place] <= draw:
            place += _ONE
        symbol = place - begin + index * circulant
        symbols[at] = symbol - width if symbol >= width else symbol


@loop
def _count(order, span, first, width, symbols, lanes):  # type: ignore[no-untyped-def]
    """Add the symbols of one group's answers to all lanes in turn, if there are lanes."""
    if lanes.shape[1]:
        for at in range(span[0], span[1]):
            cell = first + (order[_THREE * at] & LOW_HALF) * width + symbols[at]
            lanes[at % np.uint64(LANES), cell] += 1


@kernel(
    read_only(_U64), read_only(_U64), _I64, read_only(types.boolean), array(types.boolean),
    ORDER, LAYOUT, CELLS, array(_U16),
)  # fmt: skip
def answer(  # type: ignore[no-untyped-def]
    addresses, kinds, devices, examined, answered, order, layout, cells, symbols
):  # fmt: skip
    """Answer and count every attribute of a chunk, reading each column in place by its address.

    One call without the interpreter's lock does the whole chunk, so that threads do not wait
    for each other.  A column that holds something unusual is left unanswered, unless it was
    `examined`; `answered` says which were answered, before the call or by it.
    """
    answers, words = np.uint64(len(symbols) // devices), order.answers
    for attribute in range(len(kinds)):
        if answered[attribute]:
            continue
        kind = kinds[attribute]
        column = addresses[attribute], kind, devices
        number, code = layout.numbers[attribute], layout.codes[attribute]
        if not examined[attribute] and _is_unusual(column, number, code):
            continue
        for group in range(attribute, len(layout.shapes), len(layout.numbers)):
            span, shape = (order.starts[group], order.starts[group + 1]), layout.shapes[group]
            if kind < _NUMBERS:
                _grid_indices(column, answers, words, span, number, shape[POINTS], symbols)
            else:
                _linear_indices(column, answers, words, span, shape, code, layout, symbols)
            _walk(words, span, shape, layout.running, layout.guide, symbols)
            first, width = np.uint64(cells.starts[group]), np.uint64(cells.widths[group])
            _count(words, span, first, width, symbols, cells.lanes)
        answered[attribute] = True
