"""Vectors of what spans several rounds: places, turns, memos, and what they are charged."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from struct import iter_unpack
from typing import Any

from reference import draws, exponential_floor, remembered
from refusals import ABOVE_20, REMOVED, remembering_survey
from seeds import some_bytes

from harmony import Boolean, Categorical, Crosstab, Integer, Numeric, Survey

TOTAL = 1 << 53
HALF, QUARTER = TOTAL // 2, TOTAL // 4
NOW = "2026-11-16T12:00:00Z"


def over_time_vectors() -> dict[str, Any]:
    """Everything that a file of its own holds."""
    return {
        "about": "`places`: a survey's fingerprint, a device and `every` to its place; `turns`: "
        "the lines of a ledger to whether a device at `place` answers round `number` of the survey "
        "'phones'; `reports`: in surveys with memory, the words of a memo and random bytes to a "
        "report, whatever the round's seed is",
        "places": _places(),
        "turns": _turns(),
        **_reports(),
    }


def _places() -> list[dict[str, Any]]:
    cases = []
    for number in range(12):
        fingerprint = sha256(f"survey {number % 3}".encode()).digest()
        device = bytes(16) if not number else some_bytes(f"rotating {number}", 16)
        for every in (2, 4, 52, 65536):
            place = draws(fingerprint[16:], device, 1)[0] * every >> 32
            cases.append({"fingerprint": fingerprint.hex(), "device": device.hex(),
                          "every": every, "place": place})  # fmt: skip
    return cases


def answered(number: Any, survey: str = "phones", round: str = "a") -> str:
    line = {"at": NOW, "event": "answered", "survey": survey, "round": round, "epsilon": 1.0,
            "asked": ["wifi"]}  # fmt: skip
    return json.dumps(line if number is None else line | {"number": number})


def _turns() -> list[dict[str, Any]]:
    cases: list[tuple[str, list[str], int, int, Any, bool]] = [
        ("its turn", [], 4, 3, 7, True),
        ("not its turn", [], 4, 3, 8, False),
        ("round zero", [], 4, 0, 0, True),
        ("the last number that there is", [], 2, 1, 2**53 - 1, True),
        ("no number", [], 4, 0, None, False),
        ("T rounds after one that was answered", [answered(3)], 4, 3, 7, True),
        ("less than T after one", [answered(4)], 4, 3, 7, False),
        ("less than T before one", [answered(10)], 4, 3, 7, False),
        ("T rounds before one", [answered(11)], 4, 3, 7, True),
        ("the same number under another label", [answered(7)], 4, 3, 7, False),
        ("another survey's rounds do not count", [answered(7, "tablets")], 4, 3, 7, True),
        ("a line without a number does not count", [answered(None)], 4, 3, 7, True),
        ("numbers of a label in two ledgers", [answered(3), answered(9)], 4, 3, 7, False),
        ("numbers written as fractions", [answered(6.0)], 4, 3, 7.0, False),
        ("a report that was dropped counts",
         [answered(6), json.dumps({"at": NOW, "event": "dropped: closed", "survey": "phones",
                                   "round": "a"})], 4, 3, 7, False),
        ("forgetting frees no round",
         [answered(6), json.dumps({"at": NOW, "event": "forgotten"})], 4, 3, 7, False),
    ]  # fmt: skip
    return [
        {"why": why, "lines": lines, "every": every, "place": place, "number": number,
         "answers": answers}
        for why, lines, every, place, number, answers in cases
    ]  # fmt: skip


def _surveys() -> list[Survey]:
    wifi, theme = Boolean("wifi"), Categorical("theme", ["light", "dark", "größer"])
    return [
        Survey("steady", [wifi, theme, Integer("cards", 0, 15), Categorical("size", list("abcdef")),
                          Numeric("battery", 0, 100)], 0.1, memory=0.2),
        Survey("two", [wifi, theme, Numeric("age", 0, 120, bins=[0, 18, 65, 120], missing=40),
                       Crosstab(wifi, Numeric("battery", 0, 100))], 2.0, answers=2, memory=6),
        Survey("both", [Integer("minute", 0, 299)], 6.0, memory=9, every=4),
    ]  # fmt: skip


OWNERS: dict[str, list[dict[str, Any]]] = {
    "steady": [
        {"wifi": True, "theme": "größer", "cards": 7, "size": "f", "battery": 71.5},
        {"wifi": False, "theme": "light", "cards": 15, "size": "a", "battery": -3},
        {"theme": "purple", "size": 6},
    ],
    "two": [
        {"wifi": True, "theme": "dark", "age": 17.9, "battery": 12.5},
        {"wifi": False, "theme": "light", "age": None, "battery": 100},
        {},
    ],
    "both": [{"minute": 299}, {"minute": 0}, {"minute": 300}],
}


def _reports() -> dict[str, Any]:
    surveys, cases = {}, []
    for survey in _surveys():
        document = survey.to_document()
        surveys[survey.name] = {"fingerprint": survey.fingerprint, "survey": document}
        for number in range(15):
            values = OWNERS[survey.name][number % 3]
            device = some_bytes(f"remembering {survey.name} {number // 3}", 16)
            words = some_bytes(f"memo {survey.name} {number // 3}", 8 * 3000)
            words = {12: bytes(len(words)), 13: b"\xff" * len(words)}.get(number, words)
            random = some_bytes(f"remembered {survey.name} {number}", 16 * survey.answers)
            random = {10: bytes(len(random)), 11: b"\xff" * len(random)}.get(number, random)
            memo, report = remembered(
                document, bytes.fromhex(survey.fingerprint), device, values, words, random
            )
            cases.append(
                {"survey": survey.name, "device": device.hex(), "values": values,
                 "memo": [f"{word:016x}" for (word,) in iter_unpack("<Q", memo)],
                 "random": random.hex(), "report": report.hex()}
            )  # fmt: skip
    return {"surveys": surveys, "reports": cases}


def product_vectors() -> list[dict[str, Any]]:
    """Memos and what follows them: the last pair that keeps epsilon together, and the first not."""
    circulant = {"kind": "circulant", "counts": [3 * QUARTER, QUARTER]}
    dense = {"kind": "dense", "counts": [[5 * TOTAL // 8, TOTAL // 4, TOTAL // 8],
                                         [TOTAL // 8, TOTAL // 4, 5 * TOTAL // 8]]}  # fmt: skip
    cases = []
    for memo, shares in (
        (circulant, [1, 1]), (dense, [1, 1, 1]), (circulant, [1, 3]), (circulant, [3, 1]),
        (dense, [2, 1, 3]), (dense, [3, 1, 2]),
    ):  # fmt: skip
        columns = list(zip(*memo["counts"], strict=True)) if memo is dense else [memo["counts"]]
        least = shares if memo is dense else [min(shares)]
        for epsilon, answers in ((0.5, 1), (1.0, 2), (0.3, 1), (0.0001, 1)):
            floor = exponential_floor(epsilon, answers)

            def keeps(count: int, floor: int = floor, shares: list[int] = shares,
                      least: list[int] = least, columns: Any = columns) -> bool:  # fmt: skip
                keep = TOTAL - sum(shares) * count
                return all(
                    (keep * max(one) + TOTAL * count * share) * 2**128
                    <= floor * (keep * min(one) + TOTAL * count * share)
                    for one, share in zip(columns, least, strict=True)
                )

            low, high = 1, TOTAL // sum(shares) - 1
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if keeps(middle) else (middle + 1, high)
            cases += [
                {"epsilon": epsilon, "answers": answers, "table": memo,
                 "replace": {"kind": "replace",
                             "counts": [TOTAL - sum(shares) * count,
                                        *(count * share for share in shares)]},
                 "kept": keeps(count)}
                for count in (low, low - 1)
            ]  # fmt: skip
    return cases


def memory_refusals() -> list[tuple[str, str, list[tuple[list[Any], Any]]]]:
    """Changes of the remembering survey that a device must refuse."""
    binary, replace = ["attributes", 1, "mechanisms", 0], ["tables", 2, "counts"]
    return [
        ("every is one", "every", [(["every"], 1)]),
        ("every is a fraction", "every", [(["every"], 2.5)]),
        ("every is 65,537", "every", [(["every"], 65537)]),
        ("a memory above 20", "memory", [(["memory"], ABOVE_20)]),
        ("a change above 20", "change", [(["change"], ABOVE_20)]),
        ("memory without change", "change", [(["change"], REMOVED)]),
        ("change without memory", "memory", [(["memory"], None)]),
        ("memory with tiers", "memory", [(["epsilon"], REMOVED), (["tiers"], [0.52])]),
        ("memory is text", "memory", [(["memory"], "1")]),
        ("memory without replace", "replace", [([*binary, "replace"], REMOVED)]),
        ("replace without memory", "replace", [(["memory"], REMOVED), (["change"], REMOVED),
                                               (["epsilon"], 1.1)]),
        ("a table in the place of a replace table", "replace", [([*binary, "replace"], 0)]),
        ("a replace table in the place of a table", "table", [([*binary, "table"], 2)]),
        ("a replace table of other symbols", "symbols",
         [(replace, [HALF, QUARTER, QUARTER // 2, QUARTER // 2])]),
        ("two replace tables for one table", "replace",
         [(["tables"], [*remembering_survey()["tables"], remembering_survey()["tables"][2]]),
          (["attributes", 2, "mechanisms", 0, "replace"], 3)]),
        ("a replace table of two counts", "counts", [(replace, [HALF, HALF])]),
        ("a memo beyond its memory", "memory", [(["memory"], 1.0986)]),
        ("a report beyond its epsilon", "epsilon", [(["epsilon"], 0.51)]),
        ("a replace table beyond its change", "change", [(["change"], 1.0986)]),
        ("memory that keeps epsilon, not epsilon / answers", "epsilon",
         [(["answers"], 2), (["memory"], 2.2), (["change"], 2.2)]),
    ]  # fmt: skip


def large_memo(
    inputs: int, answers: int = 1, used: bool = True, second: bool = False
) -> list[tuple[str, int]]:
    """A survey with a table of so many inputs, part by part: each answer's memo has one word more.

    Where it is not `used`, the answers' own tables are small; where it is `second`, a small one of
    another attribute comes first.
    """
    count, weight = 1 << 40, 1 << 39
    document = remembering_survey() | {"epsilon": 20.0, "memory": 20.0, "change": 20.0}
    document |= {"answers": answers, "attributes": document["attributes"][1:2]}
    if second:
        document["attributes"] = remembering_survey()["attributes"][2:0:-1]
    if used:
        document["attributes"][-1]["mechanisms"][0] |= {"base": inputs, "table": 3, "replace": 4}
    document["attributes"] += [
        document["attributes"][0] | {"name": f"wifi {place}"} for place in range(1, answers)
    ]
    document["tables"] += [{"kind": "circulant", "counts": "<memo>"},
                           {"kind": "replace", "counts": "<replace>"}]  # fmt: skip
    before, between, after = re.split('"<memo>"|"<replace>"', json.dumps(document))
    return [
        (f"{before}[{TOTAL - (inputs - 1) * count}", 1), (f", {count}", inputs - 1),
        (f"]{between}[{TOTAL - inputs * weight}", 1), (f", {weight}", inputs), (f"]{after}", 1),
    ]  # fmt: skip


def taken_surveys() -> list[tuple[str, dict[str, Any]]]:
    rotating = remembering_survey() | {"every": 65536}
    nulls = remembering_survey() | {"every": None}
    return [("a survey with memory", remembering_survey()), ("memory and rotation", rotating),
            ("null for every", nulls)]  # fmt: skip
