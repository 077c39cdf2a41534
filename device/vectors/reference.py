"""The protocol in its plainest form, written from docs/protocol.md and not from an SDK.

It is slow and checks nothing: its one use is to say what the vectors should hold.
"""

from __future__ import annotations

import math
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
    """The grid point of a number; in doubles, however it is written."""
    low, high, value = float(low), float(high), float(value)
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


def answered(attribute: dict[str, Any], value: Any) -> Any:
    """The answer that a code takes: a number, or a place; None where it is drawn at random."""
    if attribute["kind"] == "text":
        return text_place(attribute, value)
    missing, unlisted = attribute.get("missing"), attribute.get("unlisted")
    if attribute["kind"] == "signed":
        size = power_of_two(len(attribute["values"]))
        usable = type(value) is int and 0 <= value < 2 * size
        return value if usable and value % size < len(attribute["values"]) else None
    number = type(value) in (int, float) and math.isfinite(value)
    if attribute["kind"] == "numeric":
        value = value if number else missing
        if value is None:
            return None
        if attribute.get("bins"):
            return bin_of(attribute["bins"], value)
        return float(min(max(value, attribute["low"]), attribute["high"]))
    kind = type(attribute["values"][0])
    usable = number if kind is int else type(value) is kind
    place = place_of(attribute["values"], value) if usable else None
    if place is None:
        stands = unlisted if usable else missing
        place = None if stands is None else place_of(attribute["values"], stands)
    return place


def place_of(values: list[Any], value: Any) -> int | None:
    return next((place for place, one in enumerate(values) if one == value), None)


def read(attribute: dict[str, Any], values: dict[str, Any]) -> Any:
    """The answer of an attribute to a person's values; of a crosstab, one for each part."""
    if attribute["kind"] == "crosstab":
        return [read(part, values) for part in attribute["of"]]
    return answered(attribute, values.get(attribute.get("reads") or attribute["name"]))


def places(attribute: dict[str, Any]) -> int:
    """How many places an attribute, or a part of a crosstab, has."""
    if attribute["kind"] == "crosstab":
        return math.prod(map(places, attribute["of"]))
    if attribute.get("bins"):
        return len(attribute["bins"]) - 1
    return len(attribute["values"]) if "values" in attribute else attribute["points"]


def placed(attribute: dict[str, Any], answer: Any, word: int) -> int:
    """The place of an answer, which someone without one draws."""
    if attribute["kind"] == "crosstab":
        first, second = attribute["of"]
        low_half = word % 2**32 * 2**32
        place = placed(first, answer[0], word)
        return place * places(second) + placed(second, answer[1], low_half)
    if answer is None:
        return drawn(attribute, word >> 32)
    if "points" in attribute:
        points, low, high = (attribute[field] for field in ("points", "low", "high"))
        return grid_index(points, low, high, answer, word)
    return answer


def drawn(attribute: dict[str, Any], draw: int) -> int:
    """The place that a 32-bit draw gives to someone without an answer."""
    if attribute["kind"] != "signed":
        return draw * places(attribute) >> 32
    levels = len(attribute["values"])
    number = draw * 2 * levels >> 32
    return number if number < levels else power_of_two(levels) + number - levels


def power_of_two(least: int) -> int:
    size = 2
    while size < least:
        size *= 2
    return size


def exponential_floor(epsilon: float, answers: int) -> int:
    """The bound of e^(epsilon / answers), times 2^128, that every device computes."""
    top, bottom = epsilon.as_integer_ratio()
    power = top * 2**256 // (bottom * answers * 64)
    term = total = 2**256
    order = 1
    while term:
        term = term * power // 2**256 // order
        total += term
        order += 1
    for _ in range(6):
        total = total * total // 2**256
    return total // 2**128


def walked(table: dict[str, Any], index: int, word: int) -> int:
    """The symbol of an index: how many running sums are at most the draw.

    Of a replace table, that of a kept symbol.
    """
    row = table["counts"][index] if table["kind"] == "dense" else table["counts"]
    offset = sum(sum(row[: i + 1]) <= word >> 11 for i in range(len(row)))
    if table["kind"] == "replace":
        return index if offset == 0 else offset - 1
    return offset if table["kind"] == "dense" else (index + offset) % len(row)


def reported(
    document: dict[str, Any], seed: bytes, device: bytes, tier: int, values: dict[str, Any],
    random: bytes,
) -> bytes:  # fmt: skip
    """The bytes of a report."""
    symbols = []
    for place, (attribute, code, row) in enumerate(asked_of(document, seed, device, tier)):
        index = index_of(attribute, code, row, values, word_at(random, 2 * place))
        table = document["tables"][code["table"]]
        symbols.append(walked(table, index, word_at(random, 2 * place + 1)))
    return packed(document, device, tier, symbols)


def remembered(
    document: dict[str, Any], fingerprint: bytes, device: bytes, values: dict[str, Any],
    words: bytes, random: bytes,
) -> tuple[bytes, bytes]:  # fmt: skip
    """The words of a memo that a survey with memory needs, and the bytes of a report from it."""
    symbols, start, tables = [], 0, document["tables"]
    for place, (attribute, code, row) in enumerate(asked_of(document, fingerprint[:16], device, 0)):
        table = tables[code["table"]]
        index = index_of(attribute, code, row, values, word_at(words, start))
        kept = walked(table, index, word_at(words, start + 1 + index))
        sent = walked(tables[code["replace"]], kept, word_at(random, 2 * place + 1))
        symbols.append(sent)
        start += 1 + len(table["counts"])
    return words[: 8 * start], packed(document, device, 0, symbols)


def asked_of(
    document: dict[str, Any], seed: bytes, device: bytes, tier: int
) -> list[tuple[dict[str, Any], dict[str, Any], int]]:
    """What the coin asks of a device: attributes, their mechanisms, and rows."""
    codes = [attribute["mechanisms"][tier] for attribute in document["attributes"]]
    rows = [
        1 if code["code"] == "grid"
        else 2 ** (code["digits"] - 1) - 1 if code.get("signed")
        else len(code["multipliers"]) * (code["base"] ** code["digits"] - 1) // (code["base"] - 1)
        for code in codes
    ]  # fmt: skip
    weights = [attribute["coin"] for attribute in document["attributes"]]
    asked = assigned(seed, device, weights, rows, document["answers"])
    return [(document["attributes"][one], codes[one], row) for one, row in asked]


def index_of(
    attribute: dict[str, Any], code: dict[str, Any], row: int, values: dict[str, Any], word: int
) -> int:
    """The index of a person's answer, rounded or drawn with a word."""
    answer = read(attribute, values)
    if code["code"] == "grid":
        return placed(attribute | {"points": code["points"]}, answer, word)
    return linear_index(
        code["base"], code["digits"], code["multipliers"], placed(attribute, answer, word), row,
        code.get("signed", False),
    )  # fmt: skip


def word_at(stream: bytes, place: int) -> int:
    return int.from_bytes(stream[8 * place : 8 * place + 8], "little")


def packed(document: dict[str, Any], device: bytes, tier: int, symbols: list[int]) -> bytes:
    """A report of these symbols."""
    attributes, tables = document["attributes"], document["tables"]
    used = {one["table"] for attribute in attributes for one in attribute["mechanisms"]}
    widest = max(
        len(tables[one]["counts"][0] if tables[one]["kind"] == "dense" else tables[one]["counts"])
        for one in used
    )
    width = 1 if widest <= 256 else 2
    return device + bytes([tier]) + b"".join(one.to_bytes(width, "little") for one in symbols)


def spelled(code: dict[str, list[str]], text: str, length: int) -> str:
    """The first bits of a text in a public code."""
    small = "".join(
        chr(ord(one) + 32) if "A" <= one <= "Z" else " " if one < " " or one == "\x7f" else one
        for one in text
    )
    whole, bits = "\x02" + small.strip(" ") + "\x03", ""
    for place in range(1, len(whole)):
        before = whole[:place]
        context = max((one for one in code if before.endswith(one)), key=len)
        for tried in dict.fromkeys([context, ""]):
            words = canonical_words(code[tried])
            bits += words.get(whole[place], words["\x1b"])
            if whole[place] in words:
                break
        else:
            bits += f"{ord(whole[place]):021b}"
    return (bits + "0" * length)[:length]


def canonical_words(lists: list[str]) -> dict[str, str]:
    """The words of a canonical code: each is the one before it plus one, with zeros behind."""
    words, last = {}, None
    for length, characters in enumerate(lists, 1):
        for one in characters:
            number = 0 if last is None else (int(last, 2) + 1) << (length - len(last))
            last = words[one] = f"{number:0{length}b}"
    return words


def text_place(asked: dict[str, Any], value: Any) -> int:
    """A text's place: a prefix with the bits after it, a string, or the last for all others."""
    length, depth = asked["length"], len((asked["prefixes"] or [""])[0])
    strings = [one + "0" * (length - len(one)) for one in asked["strings"]]
    first = len(asked["prefixes"]) * 2 ** asked["bits"]
    is_text = isinstance(value, str) and "\ud800" not in value
    text = value if is_text else asked.get("missing")
    bits = None if text is None else spelled(asked["code"], text, length)
    if bits in strings:
        return first + strings.index(bits)
    if bits is not None and bits[:depth] in asked["prefixes"]:
        more = bits[depth : depth + asked["bits"]]
        return asked["prefixes"].index(bits[:depth]) * 2 ** asked["bits"] + int("0" + more, 2)
    return first + len(strings)
