"""The bulk kernels: the device's arithmetic, compiled, for many devices at once.

Each function repeats one in `harmony_device` bit for bit: coins from `coins`, the codes from
`codes`, the walk from `tables`.  The conformance vectors hold both to that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]  # it has no types
from numba import carray, njit, types  # type: ignore[attr-defined]  # it is public
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

Words = NDArray[np.uint64]

_compiled: Any = njit(cache=True, nogil=True, boundscheck=False)
_inlined: Any = njit(cache=True, nogil=True, inline="always")

LOW_HALF = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
SPARE = np.uint64(11)
FINAL = np.uint64(0xFF)
ONE, TWO, TRIPLE = np.uint64(1), np.uint64(2), np.uint64(3)
GUIDE_BITS = 8
GUIDES = 1 << GUIDE_BITS

LANES = 4
"""Copies of the counts that take turns, so that equal symbols in a row need not wait."""

BLOCK = 2048
"""Devices whose coins are drawn before they are looked at: 16 kB of words."""

LINE, AHEAD = 64, 2048
"""Bytes of a line of the cache, and of the next column that are fetched ahead of its turn."""

NUMBER_KINDS = (np.float64, np.float32)
CODE_KINDS = (np.int8, np.uint8, np.int16, np.int32, np.int64)
"""The types of columns that `answer` reads in place; their order is the number of their kind."""

# The columns of a program's `shapes`, and of its `codes`: see `program.py`.
(
    POINTS, WIDTH, RUNNING, GUIDE, MULTIPLIER, VECTOR, VECTORS, INDEX, VALUES, CIRCULANT, FIELDS,
) = range(11)  # fmt: skip
BASE, LOOKUP, LOOKUPS, COMPLETE = range(4)
TWO_53 = 9007199254740992.0


@_inlined
def _turn(word, bits):  # type: ignore[no-untyped-def]  # numba infers
    return (word << np.uint64(bits)) | (word >> np.uint64(64 - bits))


@_inlined
def _sip_round(v, w):  # type: ignore[no-untyped-def]
    """One round of two hashes, step by step, so that neither has to wait for itself."""
    v0, v1, v2, v3 = v
    w0, w1, w2, w3 = w
    v0, w0 = v0 + v1, w0 + w1
    v2, w2 = v2 + v3, w2 + w3
    v1, w1 = _turn(v1, 13) ^ v0, _turn(w1, 13) ^ w0
    v3, w3 = _turn(v3, 16) ^ v2, _turn(w3, 16) ^ w2
    v0, w0 = _turn(v0, 32), _turn(w0, 32)
    v2, w2 = v2 + v1, w2 + w1
    v0, w0 = v0 + v3, w0 + w3
    v1, w1 = _turn(v1, 17) ^ v2, _turn(w1, 17) ^ w2
    v3, w3 = _turn(v3, 21) ^ v0, _turn(w3, 21) ^ w0
    v2, w2 = _turn(v2, 32), _turn(w2, 32)
    return (v0, v1, v2, v3), (w0, w1, w2, w3)


@_inlined
def _sip_word(v, w, one, other):  # type: ignore[no-untyped-def]
    """Take one more word of two messages into their hashes."""
    v, w = (v[0], v[1], v[2], v[3] ^ one), (w[0], w[1], w[2], w[3] ^ other)
    v, w = _sip_round(v, w)
    v, w = _sip_round(v, w)
    return (v[0] ^ one, v[1], v[2], v[3]), (w[0] ^ other, w[1], w[2], w[3])


@_inlined
def _coin_words(k0, k1, one, other, counter):  # type: ignore[no-untyped-def]
    """SipHash-2-4 of two 16-byte ids (two words) and a 4-byte counter, under the seed (k0, k1)."""
    v = (
        k0 ^ np.uint64(0x736F6D6570736575),
        k1 ^ np.uint64(0x646F72616E646F6D),
        k0 ^ np.uint64(0x6C7967656E657261),
        k1 ^ np.uint64(0x7465646279746573),
    )
    last = counter | (np.uint64(20) << np.uint64(56))
    v, w = _sip_word(v, v, one[0], other[0])
    v, w = _sip_word(v, w, one[1], other[1])
    v, w = _sip_word(v, w, last, last)
    v, w = (v[0], v[1], v[2] ^ FINAL, v[3]), (w[0], w[1], w[2] ^ FINAL, w[3])
    v, w = _sip_round(v, w)
    v, w = _sip_round(v, w)
    v, w = _sip_round(v, w)
    v, w = _sip_round(v, w)
    return v[0] ^ v[1] ^ v[2] ^ v[3], w[0] ^ w[1] ^ w[2] ^ w[3]


@_compiled
def coin_words(ids, seed, counter, words):  # type: ignore[no-untyped-def]
    """Fill `words` with word number `counter` of each device: ids[0], ids[1] are its id.

    Without a branch and with the halves of the ids apart, the compiler hashes four pairs at a
    time.  The devices of the lower half are paired with those of the upper.
    """
    k0, k1, c = seed[0], seed[1], np.uint64(counter)
    low, high = ids[0], ids[1]
    half = len(words) // 2
    for device in range(half):
        pair = device + half
        words[device], words[pair] = _coin_words(
            k0, k1, (low[device], high[device]), (low[pair], high[pair]), c
        )
    if len(words) % 2:
        last = low[-1], high[-1]
        words[-1], _ = _coin_words(k0, k1, last, last, c)


@_compiled
def number(first, ids):  # type: ignore[no-untyped-def]
    """Fill `ids` with the numbers from `first` on: low words, then high words."""
    for device in range(ids.shape[1]):
        ids[0, device] = first + np.uint64(device)
        ids[1, device] = 0


@_inlined
def _below(draw, bound):  # type: ignore[no-untyped-def]
    return np.int64((draw * np.uint64(bound)) >> HALF)


@_compiled
def assign_one(words, named, rows, tiers, group, row):  # type: ignore[no-untyped-def]
    """The coin of surveys with one answer: one word a device.

    `named` says which attribute each value of the first draw names.
    """
    d = rows.shape[1]
    for device in range(len(words)):
        tier = np.int64(tiers[device]) if len(tiers) else 0
        chosen = np.int64(named[_below(words[device] & LOW_HALF, len(named))])
        group[device] = tier * d + chosen
        row[device] = _below(words[device] >> HALF, rows[tier, chosen])


@_compiled
def assign_many(words, weights, rows, tiers, group, row):  # type: ignore[no-untyped-def]
    """The coin of any survey: `words` has a row for each answer, a column for each device."""
    answers, d = len(words), len(weights)
    pool = np.arange(d)
    swaps = np.empty(answers, np.int64)
    total = weights.sum()
    for device in range(words.shape[1]):
        tier = np.int64(tiers[device]) if len(tiers) else 0
        left = total
        for draw in range(2 * answers):
            word = words[draw // 2, device]
            half = word >> HALF if draw % 2 else word & LOW_HALF
            if draw < answers:
                rest = _below(half, left)
                chosen = draw
                while rest >= weights[pool[chosen]]:
                    rest -= weights[pool[chosen]]
                    chosen += 1
                left -= weights[pool[chosen]]
                pool[draw], pool[chosen] = pool[chosen], pool[draw]
                swaps[draw] = chosen
                group[device * answers + draw] = tier * d + pool[draw]
            else:
                asked = pool[draw - answers]
                row[device * answers + draw - answers] = _below(half, rows[tier, asked])
        for draw in range(answers - 1, -1, -1):
            pool[draw], pool[swaps[draw]] = pool[swaps[draw]], pool[draw]


@_compiled
def assign(ids, coin, tiers, group, row):  # type: ignore[no-untyped-def]
    """What the devices `ids` are asked, block after block: their words stay in the nearest cache.

    `coin` is how many answers each gives, the round's seed, what each first draw names (or
    nothing), the weights, and the rows.
    """
    answers, seed, named, weights, rows = coin
    low, high = ids[0], ids[1]
    block = np.empty(answers * BLOCK, np.uint64)
    for first in range(0, len(low), BLOCK):
        last = min(first + BLOCK, len(low))
        words = block[: answers * (last - first)].reshape(answers, last - first)
        for counter in range(answers):
            coin_words((low[first:last], high[first:last]), seed, counter, words[counter])
        some, span = tiers[first:last], slice(answers * first, answers * last)
        if len(named):
            assign_one(words[0], named, rows, some, group[span], row[span])
        else:
            assign_many(words, weights, rows, some, group[span], row[span])


@_compiled
def ask(ids, coin, tiers, words, group, row, starts, order):  # type: ignore[no-untyped-def]
    """Draw the coins of the devices `ids`, and put their answers in order."""
    assign(ids, coin, tiers, group, row)
    sort_by_group(group, row, words, starts, order)


@_compiled
def sort_by_group(group, row, words, starts, order):  # type: ignore[no-untyped-def]
    """Put the answers in order, group after group, each as three words that lie together.

    The first is its place and row, the others its random words.  Fills `starts` with where
    each group starts.
    """
    starts[:] = 0
    for place in range(len(group)):
        starts[group[place] + ONE] += ONE
    for key in range(len(starts) - 1):
        starts[key + 1] += starts[key]
    ends = starts * TRIPLE
    for place in range(len(group)):
        key = group[place]
        at = ends[key]
        ends[key] = at + TRIPLE
        order[at] = np.uint64(place) << HALF | np.uint64(row[place])
        order[at + ONE] = words[2 * place]
        order[at + TWO] = words[2 * place + 1]


@_compiled
def outside(column, low, high):  # type: ignore[no-untyped-def]
    """Count what does not lie between `low` and `high`; NaN does not."""
    count = 0
    for place in range(len(column)):
        count += not (low <= column[place] <= high)
    return count


@_compiled
def extent(column):  # type: ignore[no-untyped-def]
    """Return the least and the greatest of some integers."""
    low = high = column[0]
    for place in range(len(column)):
        value = column[place]
        low = value if value < low else low
        high = value if value > high else high
    return low, high


@_compiled
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


@_compiled
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


@_compiled
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


@_compiled
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


@_compiled
def _count(order, span, group, cells, symbols):  # type: ignore[no-untyped-def]
    """Add the symbols of one group's answers to all lanes in turn, if there are lanes."""
    starts, widths, lanes = cells
    if not lanes.shape[1]:
        return
    start, width = np.uint64(starts[group]), np.uint64(widths[group])
    for at in range(span[0], span[1]):
        cell = start + (order[TRIPLE * at] & LOW_HALF) * width + symbols[at]
        lanes[at % np.uint64(LANES), cell] += 1


@_compiled
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


@_compiled
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


@intrinsic
def _prefetch(context, address):  # type: ignore[no-untyped-def]
    """Have the memory at an address brought into the cache, without waiting for it."""

    def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], kind)
        at = builder.inttoptr(arguments[0], cgutils.voidptr_t)
        builder.call(fetch, [at, number(0), number(3), number(1)])  # to read, soon, as data
        return context.get_dummy_value()

    return types.void(address), codegen


@_compiled
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
                _prefetch(addresses[attribute + 1] + np.uint64(line))  # type: ignore[call-arg]
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


@_inlined
def _cell(place, group, row, symbols, starts, widths):  # type: ignore[no-untyped-def]
    """Return the flat place of one answer's count, or -1 if its table has no such symbol."""
    key, symbol = group[place], np.int64(symbols[place])
    if symbol >= widths[key]:
        return np.int64(-1)
    return starts[key] + np.int64(row[place]) * widths[key] + symbol


@_compiled
def count(group, row, symbols, starts, widths, counts):  # type: ignore[no-untyped-def]
    """Add every answer to `counts`; return how many have a symbol that is in no table."""
    wrong = 0
    for place in range(len(symbols)):
        cell = _cell(place, group, row, symbols, starts, widths)
        if cell < 0:
            wrong += 1
        else:
            counts[cell] += 1
    return wrong


@_compiled
def locate(group, row, symbols, starts, widths, cells):  # type: ignore[no-untyped-def]
    """Fill `cells` with the flat place of every answer's count, -1 where it has none."""
    for place in range(len(symbols)):
        cells[place] = _cell(place, group, row, symbols, starts, widths)
