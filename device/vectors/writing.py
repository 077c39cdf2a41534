"""Documents byte by byte: texts and numbers as JSON writes them, and as it does not."""

from __future__ import annotations

import json
from typing import Any

from refusals import small_survey

Part = tuple[str, int] | tuple[str, int, str]
"""A text, or bytes in hexadecimal, and how many times it stands there."""

HALF_UP = "1776356839400250464677810668945312500000000000000000000000000000000000"
"""Half of the distance from 20 to the next double: the digits after 20 and 14 zeros."""


def written_cases() -> list[tuple[str, bool, list[Part]]]:
    """Why, whether the document is taken, and its parts."""
    text = json.dumps(small_survey())
    first = text.replace('{"format"', '{"colour": COLOUR, "format"', 1)
    before, after = first.split("COLOUR")

    def colour(value: str) -> list[Part]:
        return [(first.replace("COLOUR", value), 1)]

    def octets(value: str) -> list[Part]:
        return [(before + '"', 1), (value, 1, "hex"), ('"' + after, 1)]

    def epsilon(value: str) -> list[Part]:
        return [(text.replace('"epsilon": 1.0', f'"epsilon": {value}', 1), 1)]

    no_numbers = ["01", "-01", "00", "1.", "-1.", ".5", "+1", "1e", "1e+", "1.e1", "0x1", "--1"]
    no_texts = ["'a'", '"\\x"', '"\\u12"', '"\\u12g4"', '"\\"', '"a', "tru", "True", "nul"]
    no_lists = ["[1 2]", "[,1]", "[1,,2]", '{"a" 1}', '{"a":}', "{1: 2}", '{"a": 1,}', "[1}"]
    return [
        *((f"no JSON: {value}", False, colour(value))
          for value in (*no_numbers, *no_texts, *no_lists)),
        *((f"JSON: {value}", True, colour(value))
          for value in ("-0", "0e0", "1E+2", "0.50", '"\\u00e9\\/\\b\\f\\n\\r\\t\\"\\\\"', "null")),
        *((f"U+{code:04X} in a text", False, colour(f'"a{chr(code)}b"'))
          for code in (0x00, 0x09, 0x0A, 0x0D, 0x1F)),
        ("U+007F in a text", True, colour('"a\x7fb"')),
        ("U+00A0 between the parts of a document", False, colour("\u00a01")),
        ("half of a surrogate pair that nobody reads", True, colour('"\\ud800"')),
        ("a text in UTF-8", True, octets("c3a9e282acf09f9880")),
        ("a byte that UTF-8 has not", False, octets("ff")),
        ("a character of UTF-8 that is cut", False, octets("e282")),
        ("a character of UTF-8 that is longer than need be", False, octets("c0af")),
        ("half of a surrogate pair in UTF-8", False, octets("eda080")),
        ("a character of UTF-8 beyond Unicode", False, octets("f4908080")),
        ("401 digits in a text", False, [(before + '"', 1), ("9", 401), ('"' + after, 1)]),
        ("400 digits in a text", True, [(before + '"', 1), ("9", 400), ('"' + after, 1)]),
        ("a number of 86 digits that rounds to 20", True,
         epsilon("20." + "0" * 14 + HALF_UP)),
        ("a number of 86 digits that rounds to more than 20", False,
         epsilon("20." + "0" * 14 + HALF_UP[:-1] + "1")),
    ]  # fmt: skip


def as_json(cases: list[tuple[str, bool, Any]]) -> list[dict[str, Any]]:
    """Cases as the vectors write them."""
    return [
        {"why": why, "taken": taken, "parts": [list(part) for part in parts]}
        for why, taken, parts in cases
    ]
