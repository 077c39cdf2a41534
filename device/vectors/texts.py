"""Vectors for texts: how a public code spells them, and their places among kept prefixes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reference import reported, spelled, text_place
from seeds import some_bytes
from step_changes import exploring_refused

from harmony import Survey, Text, TextCode

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
DEEP = {"": ["\x03", "\x1b", *[""] * 21, "e"]}
"""A word of 24 bits, the most that there may be."""
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
    {"code": "deep", "length": 64, "prefixes": ["1" * 44], "bits": 20, "strings": ["1" * 64, ""]},
    {"code": "deep", "length": 1, "prefixes": ["1"], "bits": 0, "strings": []},
]  # fmt: skip
REFUSED: list[tuple[str, str, dict[str, Any]]] = [
    ("no code", "code", {"code": None}),
    ("a code that is a list", "code", {"code": []}),
    ("a code without contexts", "code", {"code": {}}),
    ("a code without the last resort", "code", {"code": {"e": ["\x03\x1b"]}}),
    ("a last resort without the end", "code", {"code": {"": ["e\x1b"]}}),
    ("a context without an escape", "code", {"code": TINY | {"e": ["\x03e"]}}),
    ("a context of five characters", "code", {"code": TINY | {"eeeee": ["\x1b"]}}),
    ("a context with half of a surrogate pair", "code", {"code": TINY | {"\ud800": ["\x1b"]}}),
    ("a context that is text", "code", {"code": TINY | {"e": "\x1b"}}),
    ("a context without words", "code", {"code": TINY | {"e": []}}),
    ("words of 25 bits", "code", {"code": TINY | {"e": ["\x1b", *[""] * 23, "e"]}}),
    ("a character twice", "code", {"code": TINY | {"e": ["e", "e\x1b"]}}),
    ("more words than their lengths allow", "code", {"code": TINY | {"e": ["e\x03", "\x1b"]}}),
    ("words that are numbers", "code", {"code": TINY | {"e": [1, "\x1b"]}}),
    ("no length", "length", {"length": None}),
    ("a length of 65 bits", "length", {"length": 65}),
    ("a length of no bits", "length", {"length": 0}),
    ("bits that are a fraction", "bits", {"bits": 0.5}),
    ("bits below zero", "bits", {"bits": -1}),
    ("21 bits more", "bits", {"bits": 21, "length": 64}),
    ("prefixes that are text", "prefixes", {"prefixes": "01"}),
    ("a prefix of other letters", "prefixes", {"prefixes": ["02"]}),
    ("a prefix that is a number", "prefixes", {"prefixes": [10]}),
    ("prefixes of two lengths", "prefixes", {"prefixes": ["0", "11"]}),
    ("a prefix twice", "prefixes", {"prefixes": ["0", "0"]}),
    ("prefixes beyond the length", "prefixes", {"prefixes": ["00000000"], "bits": 1}),
    ("no strings", "strings", {"strings": None}),
    ("a string twice", "strings", {"strings": ["10", "1000"]}),
    ("a string beyond the length", "strings", {"strings": ["000000000"]}),
    ("strings of other letters", "strings", {"strings": ["ab"]}),
    ("nothing to tell apart", "prefixes", {"prefixes": [], "strings": []}),
    ("more than 2^21 places", "bits",
     {"prefixes": ["00", "01", "10"], "bits": 20, "length": 64, "strings": []}),
    ("one place more than 2^21", "bits",
     {"prefixes": ["0", "1"], "bits": 20, "length": 64, "strings": []}),
    ("a stand-in that is no text", "missing", {"missing": 3}),
    ("a stand-in with half of a surrogate pair", "missing", {"missing": "\ud800"}),
    ("a stand-in for what is not listed", "unlisted", {"unlisted": "e"}),
]  # fmt: skip
NO_TEXT = [None, 3, True, {"special": "absent"}, {"special": "nan"}, "\ud800", ["e"]]


def step() -> dict[str, Any]:
    """A step of an exploration: prefixes, strings and a stand-in, of a code that is small."""
    text = Text("page", bits=8, missing="ea", reads="home page", code=TextCode(TINY))
    survey = Survey("pages.step-2", [text.places(["00", "11", "01"], 3, ["00", "1100"])], 2.0)
    document = json.loads(json.dumps(survey.to_document()))
    opened = {"label": "pages:2", "seed": "00112233445566778899aabbccddeeff"}
    return {"format": "harmony-step/1", "training": "pages", "step": 2, "survey": document,
            "round": opened}  # fmt: skip


def reports(document: dict[str, Any]) -> list[dict[str, Any]]:
    """What devices send, whatever they hold."""
    seed = bytes.fromhex(document["round"]["seed"])
    cases = []
    for place, value in enumerate([*TEXTS[:12], *NO_TEXT]):
        device, random = some_bytes(f"text {place}", 16), some_bytes(f"text random {place}", 16)
        values = {} if value == {"special": "absent"} else {"home page": value}
        report = reported(document["survey"], seed, device, 0, values, random)
        cases.append({"device": device.hex(), "values": {"home page": value},
                      "random": random.hex(), "report": report.hex()})  # fmt: skip
    return cases


def text_vectors() -> dict[str, Any]:
    """Return what `texts.json` holds."""
    document = step()
    common = json.loads(COMMON.read_text("utf-8"))
    codes = {"tiny": TINY, "long": LONG, "common": common, "deep": DEEP}
    return {
        "about": "`codes` by name; `spelled`: a text to the first bits of its code; `places`: a "
        "value to its place in an attribute, whose code is named; `step`: one of an exploration, "
        "and `reports` to it; `refused`: changes of its attribute that a device must refuse; "
        "`steps_refused`: changes of the step itself, the value at a path",
        "codes": codes,
        "spelled": [
            {"code": name, "text": text, "length": length, "bits": spelled(code, text, length)}
            for name, code in codes.items()
            for text in (TEXTS if name != "deep" else TEXTS[:4])
            for length in (7, 48, 64)
        ],
        "places": [
            {"attribute": {"name": "text", "kind": "text"} | asked, "value": value,
             "place": text_place(asked | {"code": codes[asked["code"]]}, value)}
            for asked in PLACES
            for value in [*TEXTS[:12], "the", *NO_TEXT]
        ],
        "step": document,
        "reports": reports(document),
        "refused": [
            {"why": why, "field": field, "change": change} for why, field, change in REFUSED
        ],
        "steps_refused": exploring_refused(),
    }  # fmt: skip
