"""What devices are asked, compiled for many at once: their coins, and their answers in order.

`assign` repeats `harmony_device.coins` bit for bit; the conformance vectors hold both to that.
Nothing here reads anyone's value: a coin is of public things, and sorting only moves random words.
"""

from __future__ import annotations

import numpy as np
from numba import types

from ..fields import HALF, LOW_HALF, Coin
from ..jit import array, kernel, loop, named_tuple, part, read_only

_U8, _U32, _U64, _I64 = types.uint8, types.uint32, types.uint64, types.int64
COIN = named_tuple(Coin, _I64, array(_U64), array(types.uint16), array(_I64), array(_I64, 2))
_ONE, _TWO, _THREE = np.uint64(1), np.uint64(2), np.uint64(3)
_13, _16, _17, _21, _32, _43, _47, _48, _51 = map(np.uint64, (13, 16, 17, 21, 32, 43, 47, 48, 51))


@part
def _sip_round(v, w):  # type: ignore[no-untyped-def]  # numba infers
    """One round of two hashes, step by step, so that neither has to wait for itself."""
    v0, v1, v2, v3 = v
    w0, w1, w2, w3 = w
    v0, w0 = v0 + v1, w0 + w1
    v2, w2 = v2 + v3, w2 + w3
    v1, w1 = (v1 << _13 | v1 >> _51) ^ v0, (w1 << _13 | w1 >> _51) ^ w0
    v3, w3 = (v3 << _16 | v3 >> _48) ^ v2, (w3 << _16 | w3 >> _48) ^ w2
    v0, w0 = v0 << _32 | v0 >> _32, w0 << _32 | w0 >> _32
    v2, w2 = v2 + v1, w2 + w1
    v0, w0 = v0 + v3, w0 + w3
    v1, w1 = (v1 << _17 | v1 >> _47) ^ v2, (w1 << _17 | w1 >> _47) ^ w2
    v3, w3 = (v3 << _21 | v3 >> _43) ^ v0, (w3 << _21 | w3 >> _43) ^ w0
    v2, w2 = v2 << _32 | v2 >> _32, w2 << _32 | w2 >> _32
    return (v0, v1, v2, v3), (w0, w1, w2, w3)


@part
def _sip_word(v, w, one, other):  # type: ignore[no-untyped-def]
    """Take one more word of two messages into their hashes."""
    v, w = (v[0], v[1], v[2], v[3] ^ one), (w[0], w[1], w[2], w[3] ^ other)
    v, w = _sip_round(v, w)
    v, w = _sip_round(v, w)
    return (v[0] ^ one, v[1], v[2], v[3]), (w[0] ^ other, w[1], w[2], w[3])


@loop
def _coin_words(low, high, seed, counter, words):  # type: ignore[no-untyped-def]
    """Fill `words` with SipHash-2-4, under the seed, of each id (two words) and a 4-byte counter.

    Without a branch and with the halves of the ids apart, the compiler hashes four pairs at a
    time.  The devices of the lower half are paired with those of the upper, and one that is left
    over with itself.
    """
    k0, k1 = seed[0], seed[1]
    start = (
        k0 ^ np.uint64(0x736F6D6570736575),
        k1 ^ np.uint64(0x646F72616E646F6D),
        k0 ^ np.uint64(0x6C7967656E657261),
        k1 ^ np.uint64(0x7465646279746573),
    )
    last = np.uint64(counter) | np.uint64(20 << 56)
    half = len(words) // 2
    for first, second, size in ((0, half, half), (2 * half, 2 * half, len(words) % 2)):
        one_low, two_low = low[first : first + size], low[second : second + size]
        one_high, two_high = high[first : first + size], high[second : second + size]
        one_word, two_word = words[first : first + size], words[second : second + size]
        for pair in range(size):
            v, w = _sip_word(start, start, one_low[pair], two_low[pair])
            v, w = _sip_word(v, w, one_high[pair], two_high[pair])
            v, w = _sip_word(v, w, last, last)
            v = v[0], v[1], v[2] ^ np.uint64(0xFF), v[3]
            w = w[0], w[1], w[2] ^ np.uint64(0xFF), w[3]
            v, w = _sip_round(v, w)
            v, w = _sip_round(v, w)
            v, w = _sip_round(v, w)
            v, w = _sip_round(v, w)
            one_word[pair] = v[0] ^ v[1] ^ v[2] ^ v[3]
            two_word[pair] = w[0] ^ w[1] ^ w[2] ^ w[3]


@part
def _below(draw, bound):  # type: ignore[no-untyped-def]
    return np.int64((draw * np.uint64(bound)) >> HALF)


@loop
def _assign_one(words, coin, tiers, group, row):  # type: ignore[no-untyped-def]
    """The coin of surveys with one answer, whose first draw is looked up: one word a device."""
    named, rows, d = coin.attribute_by_draw, coin.rows, len(coin.weights)
    for device in range(len(group)):
        tier = np.int64(tiers[device]) if len(tiers) else 0
        chosen = np.int64(named[_below(words[device] & LOW_HALF, len(named))])
        group[device] = tier * d + chosen
        row[device] = _below(words[device] >> HALF, rows[tier, chosen])


@loop
def _assign_many(words, coin, tiers, pool, group, row):  # type: ignore[no-untyped-def]
    """The coin of any survey: `words` has every device's first word, then every second, ...

    The attributes come from a partial Fisher-Yates shuffle of `pool`, in which an attribute's
    chance is its weight among those left; it is undone for the next device.
    """
    answers, weights, rows, d = coin.answers, coin.weights, coin.rows, len(coin.weights)
    swaps, devices, total = pool[d:], len(words) // answers, np.int64(0)
    for place in range(d):
        pool[place] = place
        total += weights[place]
    for device in range(devices):
        tier = np.int64(tiers[device]) if len(tiers) else 0
        left = total
        for draw in range(2 * answers):
            word = words[draw // 2 * devices + device]
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


@kernel(
    read_only(_U64, 2), COIN, read_only(_U8), array(_U64), array(_I64), array(_U32), array(_U32)
)
def assign(ids, coin, tiers, block, pool, group, row):  # type: ignore[no-untyped-def]
    """Fill in what devices are asked, a block at a time: its words stay in the nearest cache."""
    answers, low, high = coin.answers, ids[0], ids[1]
    step = len(block) // answers
    for first in range(0, len(low), step):
        last = min(first + step, len(low))
        size, some, span = last - first, tiers[first:last], slice(answers * first, answers * last)
        words = block[: answers * size]
        for counter in range(answers):
            drawn = words[counter * size : (counter + 1) * size]
            _coin_words(low[first:last], high[first:last], coin.seed, counter, drawn)
        if len(coin.attribute_by_draw):
            _assign_one(words, coin, some, group[span], row[span])
        else:
            _assign_many(words, coin, some, pool, group[span], row[span])


@kernel(read_only(_U32), read_only(_U32), read_only(_U64), array(_U64), array(_U64))
def arrange(group, row, words, starts, order):  # type: ignore[no-untyped-def]
    """Put the answers in order, group after group, each as three words that lie together.

    The first is its place and row, the others its random words.  Fills `starts` with where
    each group starts.
    """
    starts[:] = 0
    for place in range(len(group)):
        starts[group[place] + _ONE] += _ONE
    for key in range(len(starts) - 1):
        starts[key + 1] += starts[key]
    ends = starts * _THREE
    for place in range(len(group)):
        key = group[place]
        at = ends[key]
        ends[key] = at + _THREE
        order[at] = np.uint64(place) << HALF | np.uint64(row[place])
        order[at + _ONE] = words[2 * place]
        order[at + _TWO] = words[2 * place + 1]
