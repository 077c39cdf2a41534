"""The same work in plain NumPy, as one would write it at first: the yardsticks of `collect`.

`collect` does the very same job as `Survey.collect`, from public coins to the tally, with
whole-array operations; given the same key it counts the same integers.  `paper_protocol` does
much less: the paper's two mechanisms, private coins, and NumPy's default generator, which no
one should use with private data.
"""

from __future__ import annotations

import math

import numpy as np

from harmony import Numeric, Round, Survey, Tally
from harmony.bulk.collect import keystream
from harmony.mechanisms import Grid


def collect(survey: Survey, table: dict[str, np.ndarray], key: bytes, round: Round) -> Tally:
    """Randomise and count every row: one answer a report, one tier."""
    devices = len(next(iter(table.values())))
    coin = siphash(round.seed, np.arange(devices, dtype=np.uint64), np.zeros(devices, np.uint64))
    named = np.repeat(np.arange(len(survey.weights)), survey.weights)
    attribute = named[(coin & np.uint64(0xFFFFFFFF)) * np.uint64(len(named)) >> np.uint64(32)]
    words = keystream(key, 0, devices)
    parts = []
    for place, (asked, mechanism) in enumerate(
        zip(survey.attributes, survey.mechanisms[0], strict=True)
    ):
        chosen = np.flatnonzero(attribute == place)
        values = table[asked.name][chosen]
        row = (coin[chosen] >> np.uint64(32)) * np.uint64(mechanism.code.rows) >> np.uint64(32)
        row = row.astype(np.int64)
        draw = words[chosen, 1] >> np.uint64(11)
        if isinstance(mechanism, Grid):
            assert isinstance(asked, Numeric)
            clipped = np.clip(values, asked.low, asked.high)
            span = asked.high - asked.low
            position = (clipped - asked.low) / span * (mechanism.code.points - 1)
            left = np.minimum(position.astype(np.int64), mechanism.code.points - 2)
            threshold = ((position - left) * 2.0**53).astype(np.uint64)
            index = left + ((words[chosen, 0] >> np.uint64(11)) < threshold)
        else:
            first = int(asked.values[0])
            index = np.asarray(mechanism.indices)[row, values.astype(np.int64) - first]
        counts = np.array(mechanism.table.counts, np.uint64)
        if counts.ndim == 2:
            symbol = (np.cumsum(counts, axis=1)[index] <= draw[:, None]).sum(axis=1)
        else:
            offset = (np.cumsum(counts)[None, :] <= draw[:, None]).sum(axis=1)
            symbol = (index + offset) % len(counts)
        cell = row * mechanism.table.symbols + symbol
        parts.append(np.bincount(cell, minlength=mechanism.code.rows * mechanism.table.symbols))
    return Tally.of(survey, round, np.concatenate(parts), (devices,))


def siphash(seed: bytes, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """SipHash-2-4 of every id followed by a zero counter."""
    k0, k1 = np.frombuffer(seed, "<u8")
    v0, v1 = k0 ^ np.uint64(0x736F6D6570736575), k1 ^ np.uint64(0x646F72616E646F6D)
    v2, v3 = k0 ^ np.uint64(0x6C7967656E657261), k1 ^ np.uint64(0x7465646279746573)

    def turn(word: np.ndarray, bits: int) -> np.ndarray:
        return word << np.uint64(bits) | word >> np.uint64(64 - bits)

    with np.errstate(over="ignore"):
        for word, rounds in ((low, 2), (high, 2), (np.uint64(20 << 56), 2), (None, 4)):
            if word is None:
                v2 = v2 ^ np.uint64(0xFF)
            else:
                v3 = v3 ^ word
            for _ in range(rounds):
                v0, v2 = v0 + v1, v2 + v3
                v1, v3 = turn(v1, 13) ^ v0, turn(v3, 16) ^ v2
                v0 = turn(v0, 32)
                v2, v0 = v2 + v1, v0 + v3
                v1, v3 = turn(v1, 17) ^ v2, turn(v3, 21) ^ v0
                v2 = turn(v2, 32)
            if word is not None:
                v0 = v0 ^ word
        return v0 ^ v1 ^ v2 ^ v3


def paper_protocol(
    survey: Survey, table: dict[str, np.ndarray], seed: int = 0
) -> dict[str, np.ndarray]:
    """The paper's mixed-tuple protocol: pick an attribute, randomise its value, estimate."""
    rng = np.random.default_rng(seed)
    devices = len(next(iter(table.values())))
    chosen = rng.integers(len(survey.attributes), size=devices)
    e = math.exp(survey.epsilon)
    scale = (e + 1) / (e - 1)
    estimates = {}
    for place, attribute in enumerate(survey.attributes):
        values = table[attribute.name][chosen == place]
        if isinstance(attribute, Numeric):
            t = (values - attribute.low) / (attribute.high - attribute.low) * 2 - 1
            up = rng.random(len(t)) < (t * (e - 1) + e + 1) / (2 * e + 2)
            estimates[attribute.name] = np.where(up, scale, -scale).mean()
            continue
        size = 1 << (len(attribute.values) - 1).bit_length()
        every = np.arange(size)
        matrix = 1 - 2 * (np.bitwise_count(every[:, None] & every[None, :]) % 2).astype(np.int64)
        row = rng.integers(size, size=len(values))
        kept = rng.random(len(values)) < e / (e + 1)
        sent = np.where(kept, matrix[row, values], -matrix[row, values]) * scale
        sums = np.bincount(row, weights=sent, minlength=size)
        estimates[attribute.name] = (matrix @ sums / len(values))[: len(attribute.values)]
    return estimates
