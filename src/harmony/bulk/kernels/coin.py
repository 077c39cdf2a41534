"""What devices are asked, compiled for many at once: their coins, and their answers in order.

`assign` repeats `harmony_device.coins` bit for bit; the conformance vectors hold both to that.
Nothing here reads anyone's value: a coin is of public things, sorting only moves random words, and
what is counted was sent.
"""

from __future__ import annotations

import numpy as np

from ..jit import HALF, LINE, LOW_HALF, ONE, TRIPLE, TWO, compiled, inlined, prefetch

FINAL = np.uint64(0xFF)

BLOCK = 2048
"""Devices whose coins are drawn before they are looked at: 16 kB of words."""

WORD = np.uint64(8)
AHEAD = np.uint64(4 * LINE)
"""Bytes of a word, and how far ahead of a group's last answer its memory is fetched."""


@inlined
def _turn(word, bits):  # type: ignore[no-untyped-def]  # numba infers
    return (word << np.uint64(bits)) | (word >> np.uint64(64 - bits))


@inlined
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


@inlined
def _sip_word(v, w, one, other):  # type: ignore[no-untyped-def]
    """Take one more word of two messages into their hashes."""
    v, w = (v[0], v[1], v[2], v[3] ^ one), (w[0], w[1], w[2], w[3] ^ other)
    v, w = _sip_round(v, w)
    v, w = _sip_round(v, w)
    return (v[0] ^ one, v[1], v[2], v[3]), (w[0] ^ other, w[1], w[2], w[3])


@inlined
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


@compiled
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


@compiled
def number(first, ids):  # type: ignore[no-untyped-def]
    """Fill `ids` with the numbers from `first` on: low words, then high words."""
    for device in range(ids.shape[1]):
        ids[0, device] = first + np.uint64(device)
        ids[1, device] = 0


@inlined
def _below(draw, bound):  # type: ignore[no-untyped-def]
    return np.int64((draw * np.uint64(bound)) >> HALF)


@compiled
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


@compiled
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


@compiled
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


@compiled
def ask(ids, coin, tiers, words, group, row, starts, order):  # type: ignore[no-untyped-def]
    """Draw the coins of the devices `ids`, and put their answers in order."""
    assign(ids, coin, tiers, group, row)
    sort_by_group(group, row, words, starts, order)


@compiled
def sort_by_group(group, row, words, starts, order):  # type: ignore[no-untyped-def]
    """Put the answers in order, group after group, each as three words that lie together.

    The first is its place and row, the others its random words.  Fills `starts` with where
    each group starts.  With many groups the processor cannot foresee where each goes on: it is
    told, a few answers ahead.
    """
    starts[:] = 0
    for place in range(len(group)):
        starts[group[place] + ONE] += ONE
    for key in range(len(starts) - 1):
        starts[key + 1] += starts[key]
    ends, there = starts * TRIPLE, np.uint64(order.ctypes.data) + AHEAD
    for place in range(len(group)):
        key = group[place]
        at = ends[key]
        ends[key] = at + TRIPLE
        prefetch(there + at * WORD)  # type: ignore[call-arg]  # numba adds one
        order[at] = np.uint64(place) << HALF | np.uint64(row[place])
        order[at + ONE] = words[2 * place]
        order[at + TWO] = words[2 * place + 1]


@inlined
def _cell(place, group, row, symbols, starts, widths):  # type: ignore[no-untyped-def]
    """Return the flat place of one answer's count, or -1 if its table has no such symbol."""
    key, symbol = group[place], np.int64(symbols[place])
    if symbol >= widths[key]:
        return np.int64(-1)
    return starts[key] + np.int64(row[place]) * widths[key] + symbol


@compiled
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


@compiled
def locate(group, row, symbols, starts, widths, cells):  # type: ignore[no-untyped-def]
    """Fill `cells` with the flat place of every answer's count, -1 where it has none."""
    for place in range(len(symbols)):
        cells[place] = _cell(place, group, row, symbols, starts, widths)
