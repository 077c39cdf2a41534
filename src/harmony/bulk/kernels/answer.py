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
    COLUMN,
    COMPLETE,
    EDGE,
    EDGES,
    GUIDE,
    GUIDE_BITS,
    GUIDES,
    HALF,
    INDEX,
    LANES,
    LOOKUP,
    LOOKUPS,
    LOW_HALF,
    MOST_PARTS,
    MULTIPLIER,
    NEGATIVE,
    NUMBER_KINDS,
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
    Cells,
    Layout,
    Order,
)
from ..jit import array, inlined, kernel, loop, named_tuple, part, read_only

_ONE, _TWO, _THREE = np.uint64(1), np.uint64(2), np.uint64(3)
_NUMBERS, _TWO_53 = np.uint64(len(NUMBER_KINDS)), 9007199254740992.0
_U8, _U16, _U64 = types.uint8, types.uint16, types.uint64
_I32, _I64, _F64 = types.int32, types.int64, types.float64
ORDER = named_tuple(Order, array(_U64), array(_U64))
CELLS = named_tuple(Cells, array(_I64), array(_I64), array(_I64, 2))
LAYOUT = named_tuple(
    Layout,
    array(_I64, 2), array(_U64), array(_U16), array(_U64), array(_U64), array(_U16),
    array(_I64, 2), array(_F64), array(_F64, 2), array(_I64, 2), array(_I32),
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


@part
def _word(order, one, second):  # type: ignore[no-untyped-def]
    """The word that a part rounds and draws with: the second takes its low half."""
    word = order[_THREE * one + _ONE]
    return word << HALF if second else word


@part
def _bin(edges, value, each):  # type: ignore[no-untyped-def]
    """The bin of a number within the edges: the last edge that it has reached starts it.

    It is looked for where it would be if bins were `each` to the unit, and most are; else on
    the side that remains.
    """
    last = len(edges) - 2
    ahead = (value - edges[0]) * each
    guess = int(ahead) if ahead < last else last
    if value < edges[guess]:
        first, size = 0, guess
    elif guess < last and edges[guess + 1] <= value:
        first, size = guess + 1, last - guess
    else:
        return guess
    while size > 1:
        half = size // 2
        first = first + half if edges[first + half] <= value else first
        size -= half
    return first


@loop
def _number_places(column, answers, order, span, number, edges, size, second, places):  # type: ignore[no-untyped-def]
    """Find the places of numbers for part of `order`: their bins, or points of a grid.

    The second part of a crosstab is put behind the first.
    """
    address, kind, devices = column
    at: Any = _pointer(address)  # type: ignore[call-arg]  # numba adds one
    f8, f4 = carray(at, devices, np.float64), carray(at, devices, np.float32)
    low, high, missing = number[0], number[1], number[2]
    each = (len(edges) - 1) / (high - low)
    for one in range(span[0], span[1]):
        place = order[_THREE * one] >> HALF
        if answers > _ONE:
            place //= answers
        value = f8[place] if kind == 0 else np.float64(f4[place])
        if np.isnan(value):
            value = missing
        clipped = low if value < low else high if value > high else value
        if np.isnan(clipped):
            found = _below(_word(order, one, second), size)
        elif len(edges):
            found = np.int64(_bin(edges, clipped, each))
        else:
            position = (clipped - low) / (high - low) * (size - 1)
            left = min(np.int64(position), size - 2)
            threshold = np.int64((position - left) * _TWO_53)
            found = left + (np.int64(_word(order, one, second) >> SPARE) < threshold)
        places[one] = np.int64(places[one]) * size + found if second else found


@part
def _drawn(word, listed, negative):  # type: ignore[no-untyped-def]
    """The place of a value for someone who has none: each as likely, and so is its sign."""
    if negative:
        number = _below(word, 2 * listed)
        return number if number < listed else number - listed + negative
    return _below(word, listed)


@loop
def _code_places(column, answers, order, span, code, lookups, reading, second, places):  # type: ignore[no-untyped-def]
    """Find the places of coded values for part of `order`.

    A loop for each kind of column would be no quicker: which it is never changes on the way.
    """
    address, kind, devices = column
    at: Any = _pointer(address)  # type: ignore[call-arg]  # numba adds one
    i1, i2 = carray(at, devices, np.int8), carray(at, devices, np.int16)
    i4, i8 = carray(at, devices, np.int32), carray(at, devices, np.int64)
    lookup, base = lookups[code[LOOKUP] :], code[BASE]
    size, negative = reading[PLACES], reading[NEGATIVE]
    for one in range(span[0], span[1]):
        place = order[_THREE * one] >> HALF
        if answers > _ONE:
            place //= answers
        if kind == 2:
            coded = np.int64(i1[place])
        elif kind == 3:
            coded = np.int64(i2[place])
        elif kind == 4:
            coded = np.int64(i4[place])
        else:
            coded = i8[place]
        found = np.int64(lookup[np.uint64(coded - base)])
        if found < 0:
            found = _drawn(_word(order, one, second), size, negative)
        places[one] = np.int64(places[one]) * size + found if second else found


@loop
def _places(column, answers, order, span, layout, reading, second, places):  # type: ignore[no-untyped-def]
    """Find the places of one part's values, whatever its column holds."""
    at, kind = reading[COLUMN], column[1]
    if kind < _NUMBERS:
        edges = layout.edges[reading[EDGE] : reading[EDGE] + reading[EDGES]]
        number, size = layout.numbers[at], reading[PLACES]
        _number_places(column, answers, order, span, number, edges, size, second, places)
    else:
        code, lookups = layout.codes[at], layout.lookups
        _code_places(column, answers, order, span, code, lookups, reading, second, places)


@loop
def _linear_indices(order, span, shape, layout, places, indices):  # type: ignore[no-untyped-def]
    """Code places, each under its row."""
    coded = layout.indices[shape[INDEX] :]
    multipliers = layout.multipliers[shape[MULTIPLIER] :]
    vectors = layout.vectors[shape[VECTOR] : shape[VECTOR] + shape[VECTORS]]
    known, g = np.uint64(shape[VALUES]), np.uint64(shape[POINTS])
    for one in range(span[0], span[1]):
        row, value = order[_THREE * one] & LOW_HALF, np.uint64(places[one])
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


@loop
def _is_usable(column, state, number, code):  # type: ignore[no-untyped-def]
    """Whether a column can be answered from: it is looked at when it is first needed."""
    if state == UNKNOWN:
        return not _is_unusual(column, number, code)
    return state == USUAL


@kernel(
    read_only(_U64), read_only(_U64), _I64, array(_U8), array(types.boolean),
    ORDER, LAYOUT, CELLS, array(_I32), array(_U16),
)  # fmt: skip
def answer(  # type: ignore[no-untyped-def]
    addresses, kinds, devices, states, answered, order, layout, cells, places, symbols
):  # fmt: skip
    """Answer and count every attribute of a chunk, reading each column in place by its address.

    One call without the interpreter's lock does the whole chunk, so that threads do not wait
    for each other.  An attribute that reads a column with something unusual is left unanswered:
    `states` says which columns that are, and `answered` which attributes are answered.
    """
    answers, words = np.uint64(len(symbols) // devices), order.answers
    for attribute in range(len(answered)):
        if answered[attribute]:
            continue
        usable = True
        for reading in layout.parts[MOST_PARTS * attribute : MOST_PARTS * (attribute + 1)]:
            if reading[COLUMN] >= 0:
                at = reading[COLUMN]
                column = addresses[at], kinds[at], devices
                if _is_usable(column, states[at], layout.numbers[at], layout.codes[at]):
                    states[at] = USUAL
                else:
                    states[at] = UNUSUAL
                    usable = False
        if not usable:
            continue
        first_part = layout.parts[MOST_PARTS * attribute]
        second_part = layout.parts[MOST_PARTS * attribute + 1]
        at, other = first_part[COLUMN], second_part[COLUMN]
        column = addresses[at], kinds[at], devices
        for group in range(attribute, len(layout.shapes), len(answered)):
            span, shape = (order.starts[group], order.starts[group + 1]), layout.shapes[group]
            if first_part[PLACES]:
                _places(column, answers, words, span, layout, first_part, False, places)
                if other >= 0:
                    beside = addresses[other], kinds[other], devices
                    _places(beside, answers, words, span, layout, second_part, True, places)
                _linear_indices(words, span, shape, layout, places, symbols)
            else:
                number, points, edges = layout.numbers[at], shape[POINTS], layout.edges[:0]
                _number_places(column, answers, words, span, number, edges, points, False, symbols)
            _walk(words, span, shape, layout.running, layout.guide, symbols)
            first, width = np.uint64(cells.starts[group]), np.uint64(cells.widths[group])
            _count(words, span, first, width, symbols, cells.lanes)
        answered[attribute] = True
