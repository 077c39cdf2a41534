"""The protocol in its plainest form, written from docs/protocol.md and not from an SDK.

It is slow and checks nothing: its one use is to say what the vectors should hold.
"""

from __future__ import annotations

from itertools import product
from typing import Any

MASK = (1 << 64) - 1


def siphash(key: bytes, message: bytes) -> int:
    """SipHash-2-4 as its authors print it."""
    k0, k1 = (int.from_bytes(half, "little") for half in (key[:8], key[8:]))
    state = [
        int.from_bytes(b"somepseudorandomlygeneratedbytes"[i : i + 8], "big")
        for i in (0, 8, 16, 24)
    ]
    v = [state[0] ^ k0, state[1] ^ k1, state[2] ^ k0, state[3] ^ k1]

    def rotated(x: int, by: int) -> int:
        return (x << by | x >> (64 - by)) & MASK

    def rounds(times: int) -> None:
        for _ in range(times):
            v[0] = (v[0] + v[1]) & MASK
            v[1] = rotated(v[1], 13) ^ v[0]
            v[0] = rotated(v[0], 32)
            v[2] = (v[2] + v[3]) & MASK
            v[3] = rotated(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) & MASK
            v[3] = rotated(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) & MASK
            v[1] = rotated(v[1], 17) ^ v[2]
            v[2] = rotated(v[2], 32)

    padded = message + bytes((7 - len(message)) % 8) + bytes([len(message) % 256])
    for start in range(0, len(padded), 8):
        word = int.from_bytes(padded[start : start + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def draws(seed: bytes, device: bytes, count: int) -> list[int]:
    """The first 32-bit draws of a device in a round."""
    words = [siphash(seed, device + c.to_bytes(4, "little")) for c in range(count // 2 + 1)]
    return [half for word in words for half in (word % 2**32, word >> 32)][:count]


def assigned(
    seed: bytes, device: bytes, weights: list[int], rows: list[int], answers: int
) -> list[list[int]]:
    """The (attribute, row) pairs that the coin asks."""
    coin = iter(draws(seed, device, 2 * answers))
    pool = list(range(len(weights)))
    for i in range(answers):
        rest = next(coin) * sum(weights[one] for one in pool[i:]) >> 32
        j = i
        while rest >= weights[pool[j]]:
            rest -= weights[pool[j]]
            j += 1
        pool[i], pool[j] = pool[j], pool[i]
    return [[one, next(coin) * rows[one] >> 32] for one in pool[:answers]]


def grid_index(points: int, low: float, high: float, value: float, word: int) -> int:
    """The grid point of a number."""
    position = (min(max(value, low), high) - low) / (high - low) * (points - 1)
    left = min(int(position), points - 2)
    return left + 1 if (word >> 11) < int((position - left) * 2.0**53) else left


def projective_points(base: int, digits: int) -> list[tuple[int, ...]]:
    """Every vector of digits, lowest first, whose highest non-zero digit is one, in order."""
    vectors = [vector[::-1] for vector in product(range(base), repeat=digits)]
    return [vector for vector in vectors if next((d for d in reversed(vector) if d), None) == 1]


def signed_points(digits: int) -> list[tuple[int, ...]]:
    """Every vector of bits, lowest first, whose highest is one, but the one with no other."""
    return [(*low[::-1], 1) for low in product(range(2), repeat=digits - 1) if any(low)]


def linear_index(
    base: int, digits: int, multipliers: list[int], value: int, row: int, signed: bool = False
) -> int:
    """The index of value number `value` under `row`."""
    points = signed_points(digits) if signed else projective_points(base, digits)
    multiplier, vector = multipliers[row // len(points)], points[row % len(points)]
    return multiplier * sum(d * (value // base**i % base) for i, d in enumerate(vector)) % base


def bin_of(edges: list[float], value: float) -> int:
    """The last edge that is at most the clipped value; the last bin is closed."""
    value = min(max(value, edges[0]), edges[-1])
    return min(max(i for i, edge in enumerate(edges) if edge <= value), len(edges) - 2)


def walked(table: dict[str, Any], index: int, word: int) -> int:
    """The symbol of an index: how many running sums are at most the draw."""
    row = table["counts"][index] if table["kind"] == "dense" else table["counts"]
    offset = sum(sum(row[: i + 1]) <= word >> 11 for i in range(len(row)))
    return offset if table["kind"] == "dense" else (index + offset) % len(row)


def reported(
    document: dict[str, Any], seed: bytes, device: bytes, tier: int, values: dict[str, Any],
    random: bytes,
) -> bytes:  # fmt: skip
    """The bytes of a report."""
    attributes, tables = document["attributes"], document["tables"]
    codes = [attribute["mechanisms"][tier] for attribute in attributes]
    rows = [
        1 if code["code"] == "grid"
        else 2 ** (code["digits"] - 1) - 1 if code.get("signed")
        else len(code["multipliers"]) * (code["base"] ** code["digits"] - 1) // (code["base"] - 1)
        for code in codes
    ]  # fmt: skip
    weights = [attribute.get("weight", 1) for attribute in attributes]
    symbols = []
    asked = assigned(seed, device, weights, rows, document["answers"])
    for place, (one, row) in enumerate(asked):
        attribute, code = attributes[one], codes[one]
        round_word, table_word = (
            int.from_bytes(random[16 * place + start : 16 * place + start + 8], "little")
            for start in (0, 8)
        )
        value = values.get(attribute["name"])
        value = attribute["missing"] if value is None else value
        if code["code"] == "grid":
            index = grid_index(
                code["points"], attribute["low"], attribute["high"], value, round_word
            )
        else:
            number = (
                bin_of(attribute["bins"], value)
                if "bins" in attribute
                else value
                if attribute["kind"] == "signed"
                else attribute["values"].index(value)
            )
            index = linear_index(
                code["base"], code["digits"], code["multipliers"], number, row,
                code.get("signed", False),
            )  # fmt: skip
        symbols.append(walked(tables[code["table"]], index, table_word))
    used = {one["table"] for attribute in attributes for one in attribute["mechanisms"]}
    widest = max(
        len(tables[one]["counts"][0] if tables[one]["kind"] == "dense" else tables[one]["counts"])
        for one in used
    )
    width = 1 if widest <= 256 else 2
    return device + bytes([tier]) + b"".join(one.to_bytes(width, "little") for one in symbols)
