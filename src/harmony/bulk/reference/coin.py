"""What devices are asked, in NumPy: their coins, and their answers in order.

Like the kernels of that name, nothing here reads anyone's value.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Counts, Tiers, Words
from ..fields import HALF, LOW_HALF, WORDS, Coin, Groups, Rows

POOLED = 1 << 20
"""Attributes times devices whose shuffles are kept at a time."""


def coin_words(low: Words, high: Words, seed: Words, counter: int) -> Words:
    """Return SipHash-2-4, under the seed, of each id (two words) and a 4-byte counter.

    >>> from harmony_device.coins import coin_word
    >>> ids = np.arange(6, dtype=np.uint64).reshape(2, 3)
    >>> words = coin_words(ids[0], ids[1], np.zeros(2, np.uint64), 7)
    >>> int(words[2]) == coin_word(bytes(16), ids[:, 2].tobytes(), 7)
    True
    """
    k0, k1 = seed
    starts = (
        k0 ^ np.uint64(0x736F6D6570736575),
        k1 ^ np.uint64(0x646F72616E646F6D),
        k0 ^ np.uint64(0x6C7967656E657261),
        k1 ^ np.uint64(0x7465646279746573),
    )
    v = [np.full(len(low), start) for start in starts]
    for word in (low, high, np.uint64(counter | 20 << 56)):
        v[3] ^= word
        _sip_rounds(v, 2)
        v[0] ^= word
    v[2] ^= np.uint64(0xFF)
    _sip_rounds(v, 4)
    hashed: Words = v[0] ^ v[1] ^ v[2] ^ v[3]
    return hashed


def _sip_rounds(v: list[Words], rounds: int) -> None:
    v0, v1, v2, v3 = v
    for _ in range(rounds):
        v0 += v1
        v2 += v3
        _rotate(v1, 13)
        v1 ^= v0
        _rotate(v3, 16)
        v3 ^= v2
        _rotate(v0, 32)
        v2 += v1
        v0 += v3
        _rotate(v1, 17)
        v1 ^= v2
        _rotate(v3, 21)
        v3 ^= v0
        _rotate(v2, 32)


def _rotate(word: Words, bits: int) -> None:
    high = word << np.uint64(bits)
    word >>= np.uint64(64 - bits)
    word |= high


def _below(draw: Words, bound: Counts | int) -> Counts:
    """Scale 32-bit draws to integers below a bound."""
    scaled = draw * np.asarray(bound).astype(np.uint64) >> HALF
    return scaled.astype(np.int64)


def assign(ids: Words, coin: Coin, tiers: Tiers, group: Groups, row: Rows) -> None:
    """Fill in what the devices `ids` are asked, device after device, answer after answer."""
    answers, weights = coin.answers, coin.weights
    words = [coin_words(ids[0], ids[1], coin.seed, counter) for counter in range(answers)]
    draws = [half for word in words for half in (word & LOW_HALF, word >> HALF)]
    if answers == 1:
        reached = np.searchsorted(np.cumsum(weights), _below(draws[0], weights.sum()), "right")
        chosen = reached.reshape(-1, 1)
    else:
        chosen = _chosen(draws[:answers], weights)
    tier = tiers.astype(np.int64) if len(tiers) else np.zeros(len(chosen), np.int64)
    group[:] = (tier[:, None] * len(weights) + chosen).reshape(-1)
    for answer in range(answers):
        bound = coin.rows[tier, chosen[:, answer]]
        row[answer::answers] = _below(draws[answers + answer], bound)


def _chosen(draws: list[Words], weights: Counts) -> Counts:
    """Return the attributes that each device's draws name, one after the other, none twice.

    A partial Fisher-Yates shuffle in which an attribute's chance is its weight among those left.
    """
    devices, answers = len(draws[0]), len(draws)
    chosen = np.empty((devices, answers), np.int64)
    for first in range(0, devices, step := max(1, POOLED // len(weights))):
        some = slice(first, min(first + step, devices))
        each = np.arange(some.stop - some.start)
        pool = np.tile(np.arange(len(weights)), (len(each), 1))
        left = np.full(len(each), weights.sum())
        for answer, draw in enumerate(draws):
            rest = _below(draw[some], left)
            reached = np.cumsum(weights[pool[:, answer:]], axis=1) <= rest[:, None]
            place = answer + reached.sum(axis=1)
            found = pool[each, place]
            pool[each, place] = pool[:, answer]
            pool[:, answer] = found
            left -= weights[found]
        chosen[some] = pool[:, :answers]
    return chosen


def arrange(group: Groups, row: Rows, words: Words, starts: Words, order: Words) -> None:
    """Put the answers in order, group after group, each as three words that lie together."""
    groups = len(starts) - 1
    starts[0] = 0
    starts[1:] = np.cumsum(np.bincount(group, minlength=groups))
    places = np.argsort(group.astype(np.min_scalar_type(groups)), kind="stable")
    answers = order.reshape(-1, WORDS)
    answers[:, 0] = places.astype(np.uint64) << HALF | row[places]
    answers[:, 1:] = words.reshape(-1, 2)[places]
