"""Vectors for texts: how a public code spells them, and their places among kept prefixes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reference import spelled, text_place

COMMON = Path(__file__).parents[2] / "src/harmony/text_code.json"
TINY = {"": ["e", "\x03", "", "a\x1b"], "e": ["\x03", "e\x1b"]}
"""Two contexts; the first lists no word of three bits."""
LONG = {
    "": ["", "\x03\x1b", "aß"],
    "\x02": ["\x1b", "a"],
    "aa": ["a\x1b"],
    "aaaa": ["", "\x1b\x03"],
}
"""Contexts of one to four characters, the start of a text among them."""
TEXTS = [
    "", "e", "E", "ee", "ea", "ae", "aaaa", "aaaaaaaa", "é", "straße", " e ", "\t\ne\x7f", "a\x00e",
    "the", "The Weather", "google.com", "www.wikipedia.org", "new york", "naïve", "日本", "😀", "İ",
    "e" * 100, " " * 100, "x\u2028y", "\u00a0e", "1.2.3", "K",
]  # fmt: skip
PLACES = [
    {"code": "tiny", "length": 8, "prefixes": ["0", "1"], "bits": 1, "strings": ["10"]},
    {"code": "tiny", "length": 8, "prefixes": [""], "bits": 8, "strings": []},
    {"code": "tiny", "length": 5, "prefixes": ["011", "110"], "bits": 0, "strings": ["00", "1"]},
    {"code": "tiny", "length": 6, "prefixes": [], "bits": 0, "strings": ["10"], "missing": "ee"},
    {"code": "common", "length": 48, "prefixes": ["10100", "00100", "11111"], "bits": 4,
     "strings": []},
]  # fmt: skip
NO_TEXT = [None, 3, True, {"special": "absent"}, {"special": "nan"}, "\ud800", ["e"]]


def text_vectors() -> dict[str, Any]:
    """Return what `texts.json` holds."""
    codes = {"tiny": TINY, "long": LONG, "common": json.loads(COMMON.read_text("utf-8"))}
    return {
        "about": "`codes` by name; `spelled`: a text to the first bits of its code; `places`: a "
        "value to its place in an attribute, whose code is named",
        "codes": codes,
        "spelled": [
            {"code": name, "text": text, "length": length, "bits": spelled(code, text, length)}
            for name, code in codes.items()
            for text in TEXTS
            for length in (7, 48, 64)
        ],
        "places": [
            {"attribute": {"name": "text", "kind": "text"} | asked, "value": value,
             "place": text_place(asked | {"code": codes[asked["code"]]}, value)}
            for asked in PLACES
            for value in [*TEXTS[:12], "the", *NO_TEXT]
        ],
    }  # fmt: skip
