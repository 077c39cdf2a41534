"""Vectors of what surrounds a report: bounds, bytes, lists, ledgers, and who answers what."""

from __future__ import annotations

import copy
import json
from hashlib import sha256
from typing import Any

from reference import exponential_floor
from refusals import paired_survey, small_survey

from harmony.canonical import canonical_json

TOTAL = 1 << 53
DAY = 86400


def bound_vectors() -> dict[str, Any]:
    """The bound of e^epsilon, and the last table that it lets through."""
    epsilons = [1e-4, 0.1, 0.3, 0.5, 0.6931471805599453, 1, 1.1, 2, 3.7, 8, 12, 20]
    bounds, edges = [], []
    for epsilon in map(float, epsilons):
        for answers in (1, 2, 3, 7, 10000):
            floor = exponential_floor(epsilon, answers)
            bounds.append({"epsilon": epsilon, "answers": answers, "floor": f"{floor:x}"})
            smallest = TOTAL * 2**128 // (2**128 + floor)
            while (TOTAL - smallest) * 2**128 <= floor * smallest:
                smallest -= 1
            edges += [
                {"epsilon": epsilon, "answers": answers, "counts": [TOTAL - count, count],
                 "kept": count > smallest}
                for count in (smallest + 1, smallest)
            ]  # fmt: skip
    return {
        "about": "floor is the integer bound of e^(epsilon / answers) * 2^128, in hexadecimal; "
        "edges are circulant tables of two symbols, the last that keeps it and the first that "
        "does not",
        "bounds": bounds,
        "edges": edges,
    }


def document_vectors() -> dict[str, Any]:
    """JSON in its canonical form, RFC 8785."""
    documents: list[Any] = [
        {}, [], None, True, "", "größer", "\u20ac\U0001f600", 'quote " backslash \\ / bell \x07 \n',
        [0, -0.0, 1, 1.0, -1, 0.1, 1e21, 1e20, 123456789012345680000.0, 1e-6, 1e-7, 5e-324,
         1.7976931348623157e308, 9007199254740991, 333333333.33333329, 4.50, 2e-3],
        {"b": 1, "a": {"z": [], "é": 2, "e": 3}, "\U0001f600": 4, "\ufb33": 5, "": 6},
        small_survey(),
    ]  # fmt: skip
    return {
        "about": "a document and its canonical form; a fingerprint is the SHA-256 of those bytes",
        "documents": [
            {
                "document": document,
                "canonical": canonical_json(document).decode(),
                "fingerprint": sha256(canonical_json(document)).hexdigest(),
            }
            for document in documents
        ],
    }


def list_vectors() -> dict[str, Any]:
    """Lists of surveys as a server sends them, and what a device makes of each."""
    survey = {
        "name": "phones", "fingerprint": "ab" * 32, "epsilon": 1.0,
        "round": {"label": "2026-W46", "seed": "cd" * 16, "opened": "2026-11-09T00:00:00Z",
                  "closes": None},
    }  # fmt: skip

    def changed(path: str, value: Any) -> dict[str, Any]:
        listed = copy.deepcopy(survey)
        place: Any = listed
        *parents, last = path.split(".")
        for step in parents:
            place = place[step]
        place[last] = value
        return listed

    passed_over = [
        ("no open round", changed("round", None)),
        ("a name that is a path", changed("name", "../x")),
        ("a name of 101 letters", changed("name", "a" * 101)),
        ("a fingerprint in capitals", changed("fingerprint", "AB" * 32)),
        ("a fingerprint cut short", changed("fingerprint", "ab" * 31)),
        ("a label with a slash", changed("round.label", "2026/46")),
        ("a label of 65 letters", changed("round.label", "a" * 65)),
        ("a seed of 15 bytes", changed("round.seed", "cd" * 15)),
        ("a seed that is no hexadecimal", changed("round.seed", "zz" * 16)),
        ("a seed with spaces", changed("round.seed", "cd " * 15 + "cd")),
        ("a seed with a tab for two digits", changed("round.seed", "cd" * 15 + "\t\t")),
        ("a seed that is a number", changed("round.seed", 10**31)),
        ("a seed that is a list of digits", changed("round.seed", ["c", "d"] * 16)),
        ("a fingerprint that is a number", changed("fingerprint", 10**63)),
        ("a fingerprint that is a list of digits", changed("fingerprint", ["a", "b"] * 32)),
        ("a label that is a number", changed("round.label", 46)),
        ("a round that is a list", changed("round", ["2026-W46", "cd" * 16])),
        ("an epsilon that is text", changed("epsilon", "1")),
        ("an epsilon that is true", changed("epsilon", True)),
        ("enrolled_before is a number", changed("round.enrolled_before", 2026)),
        ("a negative number", changed("round.number", -1)),
        ("a number that is a fraction", changed("round.number", 1.5)),
        ("a number that is text", changed("round.number", "3")),
        ("a number that is true", changed("round.number", True)),
        ("a number beyond 2^53 - 1", changed("round.number", 1 << 53)),
        ("text", "phones"),
        ("null", None),
        ("a list", []),
    ]
    trainings = [{"name": "charging", "epsilon": 1.0}, {"name": "../x", "epsilon": 1}, 7,
                 {"name": "income", "epsilon": "1"}]  # fmt: skip
    return {
        "about": "entries of the list of surveys: those that a device uses, and those that it "
        "passes over; whole lists that it cannot use, and `usable` ones, each with one survey "
        "for it; and who answers a round with enrolled_before",
        "used": [
            {"why": "as it should be", "listed": survey},
            {"why": "an unknown field", "listed": survey | {"colour": "red"}},
            {"why": "a label with a colon", "listed": changed("round.label", "a:1.b_c-d")},
            {"why": "a number", "listed": changed("round.number", (1 << 53) - 1)},
            {"why": "no number", "listed": changed("round.number", None)},
        ],
        "passed_over": [{"why": why, "listed": listed} for why, listed in passed_over],
        "trainings": {"listed": trainings, "used": ["charging"]},
        "unusable": [
            {"why": "another protocol", "list": {"protocol": 2, "surveys": []}},
            {"why": "a protocol that is true", "list": {"protocol": True, "surveys": []}},
            {"why": "a protocol that is text", "list": {"protocol": "1", "surveys": []}},
            {"why": "no list of surveys", "list": {"protocol": 1, "surveys": {}}},
            {"why": "not an object", "list": [survey]},
        ],
        "usable": [
            {"why": "no protocol", "list": {"surveys": [survey]}},
            {
                "why": "trainings that are no list",
                "list": {"protocol": 1, "surveys": [survey], "trainings": "charging"},
            },
            {
                "why": "a list of 1,001 surveys, of which the first is the only one to be used",
                "list": {"protocol": 1, "surveys": [survey, *[None] * 999, survey]},
            },
        ],
        "enrolled_before": [
            {"enrolled": enrolled, "enrolled_before": before, "answers": answers}
            for enrolled, before, answers in (
                ("2026-11-08T23:59:59Z", "2026-11-09T00:00:00Z", True),
                ("2026-11-09T00:00:00Z", "2026-11-09T00:00:00Z", False),
                ("2026-11-10T00:00:00Z", "2026-11-09T00:00:00Z", False),
                ("2026-11-10T00:00:00Z", None, True),
                ("", "2026-11-09T00:00:00Z", True),
            )
        ],
    }


def ledger_vectors() -> dict[str, Any]:
    """Ledgers, and which tier an owner's limits leave to a survey."""

    def line(at: str, event: str = "answered", epsilon: float = 1.0, round: str = "a") -> str:
        written: dict[str, Any] = {"at": at, "event": event}
        if event in ("answered", "accepted"):
            written |= {"survey": "phones", "round": round}
        if event == "answered":
            written |= {"epsilon": epsilon, "asked": ["wifi"]}
        return json.dumps(written)

    month = {"per_report": 1.0, "per_round": 2.0, "per_30_days": 4.0}
    one, three = [1.0], [0.5, 2.0, 1.0]
    now = "2026-11-16T12:00:00Z"
    spent = [line(f"2026-11-{day:02d}T00:00:00Z", round=str(day)) for day in (1, 5, 9, 13)]
    tenths = [line(f"2026-11-0{day}T00:00:00Z", epsilon=0.1, round=str(day)) for day in (1, 2)]
    cases: list[tuple[str, list[str], str, dict[str, float], list[float], str, Any]] = [
        ("an empty ledger", [], now, month, one, "b", 0),
        ("the tier of most epsilon that may be spent", [], now, month, three, "b", 2),
        ("more than a report may spend", [], now, month, [2.0], "b", "per_report"),
        ("the 30 days are full", spent, now, month, one, "b", "per_30_days"),
        ("30 days after the first, to the second", spent, "2026-12-01T00:00:00Z", month, one, "b",
         0),
        ("a second before that", spent, "2026-11-30T23:59:59Z", month, one, "b", "per_30_days"),
        ("what became of reports does not matter", [*spent, line(now, "accepted", round="1")], now,
         month, one, "b", "per_30_days"),
        ("forgetting frees nothing", [*spent, line(now, "forgotten")], now, month, one, "b",
         "per_30_days"),
        ("a smaller tier still fits", spent[:3] + [line(now, epsilon=0.5, round="c")], now, month,
         three, "b", 0),
        ("the same label in another survey", [line(now, epsilon=2.0, round="b")], now, month, one,
         "b", "per_round"),
        ("three tenths fit into 0.3", tenths, now, {"per_30_days": 0.3}, [0.1], "b", 0),
        ("no more than that", tenths, now, {"per_30_days": 0.3}, [0.1000000006], "b",
         "per_30_days"),
        ("the same round in two ledgers counts twice", [line(now, round="c")] * 4, now,
         {"per_30_days": 4.0}, one, "b", "per_30_days"),
        ("of a round in two ledgers each line is rounded for itself",
         [line(now, epsilon=0.5000000004, round="c")] * 2, now, {"per_30_days": 2.0}, one, "b", 0),
        ("of a round in two ledgers each line has its own dates",
         [line("2026-01-01T00:00:00Z", epsilon=4.0, round="c"), line(now, round="c")], now, month,
         one, "b", 0),
        ("of a round in two ledgers one line is of a clock that ran ahead, noticed now",
         [line("2026-01-01T00:00:00Z", round="c"), line("2099-01-01T00:00:00Z", epsilon=4.0,
                                                        round="c")],
         now, month, one, "b", "per_30_days"),
        ("an unfinished last line does not count", [*spent[:3], spent[3][:-4] + "<cut>"], now,
         month, one, "b", 0),
        ("a clock that ran ahead, noticed now", [line("2099-01-01T00:00:00Z", epsilon=4.0)], now,
         month, one, "b", "per_30_days"),
        ("a clock that ran ahead, noticed 29 days ago",
         [line("2099-01-01T00:00:00Z", epsilon=4.0), line("2026-10-18T13:00:00Z", "clock")], now,
         month, one, "b", "per_30_days"),
        ("a clock that ran ahead, noticed 30 days ago",
         [line("2099-01-01T00:00:00Z", epsilon=4.0), line("2026-10-17T12:00:00Z", "clock")], now,
         month, one, "b", 0),
        ("a clock that was set back long before",
         [line("2026-11-10T00:00:00Z", "accepted", round="z"),
          line("1970-01-01T00:00:00Z", epsilon=4.0)], now, month, one, "b", "per_30_days"),
        ("a clock that is set back now", spent, "1970-01-02T00:00:00Z", month, one, "b",
         "per_30_days"),
        ("a clock that was set back for a moment", [*spent, line("1970-01-02T00:00:00Z", "clock")],
         now, month, one, "b", "per_30_days"),
        ("a clock a week behind", spent, "2026-10-28T00:00:00Z", month, one, "b", "per_30_days"),
    ]  # fmt: skip
    damaged = ["", "{}", "null", '{"at": "x", "event": "clock"}', line(now)[:-5],
               line(now, epsilon=0), line(now, epsilon=-1),
               '{"at": "2026-11-16T12:00:00Z", "event": "accepted"}',
               line(now).replace("answered", "refunded"), line(now).replace("1.0", '"1.0"'),
               line(now).replace("1.0", "Infinity"), line(now).replace("1.0", "1e999"),
               line(now).replace('"a"', "7"), line("2026-11-16T12:00:00+00:00"),
               line("2026-11-16T12:00:00"), line("2026-11-16", "clock"),
               line("2026-02-30T12:00:00Z", "forgotten"), "\ufeff" + line(now),
               line(now).replace(', "asked": ["wifi"]', "")]  # fmt: skip
    return {
        "about": "the lines of a ledger (the last without its end where it says <cut>), the time, "
        "the owner's limits and a survey's tiers; what a device in round `round` answers with: the "
        "place of a tier, or the limit that forbids every one. `damaged` are lines after which "
        "nothing may be answered.",
        "limits": [
            {
                "why": why, "lines": lines, "now": at, "limit": limit, "tiers": tiers,
                "round": label, "answer": answer,
            }
            for why, lines, at, limit, tiers, label, answer in cases
        ],
        "damaged": damaged,
    }  # fmt: skip


def record_vectors() -> dict[str, Any]:
    """Records that can answer the small survey, and records that cannot."""
    able = {"battery": "number", "wifi": "boolean", "age": "number"}
    cases = [
        ("exactly what is asked", able, True),
        ("more than is asked", able | {"theme": "text"}, True),
        ("a name is not told", {"battery": "number", "wifi": "boolean"}, False),
        ("a name in capitals is another", {**able, "Age": "number"} | {"age": "text"}, False),
        ("a number where a boolean is asked", able | {"wifi": "number"}, False),
        ("text where a number is asked", able | {"battery": "text"}, False),
        ("nothing is told", {}, False),
    ]
    signed = small_survey()
    signed["attributes"][1] |= {"kind": "signed", "values": [0, 1]}
    signed["attributes"][1]["mechanisms"][0] |= {"digits": 2, "signed": True}
    reading = paired_survey()
    reading["attributes"][0]["reads"] = reading["attributes"][3]["of"][1]["reads"] = "age"
    told = {"age": "number", "wifi": "boolean", "cards": "text"}
    reads = [
        ("names that are read", told, True),
        ("a name that is read is not told", {"wifi": "boolean", "cards": "text"}, False),
        ("the name of an attribute that reads another",
         {"battery": "number", "screen": "number", "wifi": "boolean", "cards": "text"}, False),
        ("a name that is read is told in another type", told | {"age": "text"}, False),
        ("a part of a crosstab is not told", {"age": "number", "wifi": "boolean"}, False),
        ("a number where a part asks for a text", told | {"cards": "number"}, False),
    ]  # fmt: skip
    two_types = paired_survey()
    two_types["attributes"][3]["of"][0]["reads"] = "age"
    return {
        "about": "whether a device whose app declares this record answers the survey, whatever "
        "its values are; the same for `reading`, whose attributes read what other names tell; none "
        "answers the survey `signed`, whose attribute only a step derives, nor `two_types`, which "
        "reads a name as a number and as a text",
        "survey": small_survey(),
        "reading": reading,
        "signed": signed,
        "two_types": two_types,
        "reads": [
            {"why": why, "record": record, "answers": answers} for why, record, answers in reads
        ],
        "records": [
            {"why": why, "record": record, "answers": answers} for why, record, answers in cases
        ],
    }
