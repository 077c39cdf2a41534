"""Vectors of what surrounds a report: bounds, bytes, lists, and who answers what."""

from __future__ import annotations

import copy
from hashlib import sha256
from typing import Any

from reference import exponential_floor
from refusals import paired_survey, small_survey

from harmony.canonical import canonical_json

TOTAL = 1 << 53


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
        ("no epsilon", changed("epsilon", None)),
        ("a label that starts with a colon", changed("round.label", ":a")),
        ("a name that starts with a dot", changed("name", ".a")),
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
                 {"name": "income", "epsilon": "1"}, {"name": "a" * 100, "epsilon": 0}]  # fmt: skip
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
            {"why": "number 0", "listed": changed("round.number", 0)},
            {"why": "null for enrolled_before", "listed": changed("round.enrolled_before", None)},
            {"why": "a label of 64 letters", "listed": changed("round.label", "a" * 64)},
            {"why": "a seed in capitals", "listed": changed("round.seed", "CD" * 16)},
            {"why": "an epsilon that no document has", "listed": changed("epsilon", 1e300)},
            {"why": "an epsilon below zero", "listed": changed("epsilon", -1)},
        ],
        "passed_over": [{"why": why, "listed": listed} for why, listed in passed_over],
        "trainings": {"listed": trainings, "used": ["charging", "a" * 100]},
        "unusable": [
            {"why": "another protocol", "list": {"protocol": 2, "surveys": []}},
            {"why": "a protocol that is true", "list": {"protocol": True, "surveys": []}},
            {"why": "a protocol that is text", "list": {"protocol": "1", "surveys": []}},
            {"why": "no list of surveys", "list": {"protocol": 1, "surveys": {}}},
            {"why": "no surveys", "list": {"protocol": 1}},
            {"why": "null for the surveys", "list": {"protocol": 1, "surveys": None}},
            {"why": "surveys that are text", "list": {"protocol": 1, "surveys": "phones"}},
            {"why": "not an object", "list": [survey]},
        ],
        "usable": [
            {"why": "no protocol", "list": {"surveys": [survey]}},
            {"why": "null for the protocol", "list": {"protocol": None, "surveys": [survey]}},
            {"why": "the protocol written 1.0", "list": {"protocol": 1.0, "surveys": [survey]}},
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
                (None, "2026-11-09T00:00:00Z", True),
                (None, None, True),
            )
        ],
    }


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
    reading["attributes"][3]["reads"] = "what its parts do not"
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
