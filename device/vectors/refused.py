"""Vectors of surveys that a device must refuse, and of some that it must take."""

from __future__ import annotations

import copy
import json
from typing import Any

from over_time import large_memo, memory_refusals, taken_surveys
from promises import kept_promises, memory_promise_refusals, promise_refusals
from refusals import (
    REMOVED,
    extreme_surveys,
    over_by_one,
    pair_refusals,
    paired_survey,
    refusals,
    remembering_survey,
    small_survey,
)
from writing import as_json, written_cases


def refused_vectors() -> dict[str, Any]:
    cases = []
    bases = [(small_survey(), one) for one in refusals() + promise_refusals()]
    bases += [(paired_survey(), one) for one in pair_refusals()]
    remembering = memory_refusals() + memory_promise_refusals()
    bases += [(remembering_survey(), one) for one in remembering]
    for document, (why, field, changes) in bases:
        for path, value in changes:
            *parents, last = path
            place: Any = document
            for step in parents:
                place = place[step]
            if value is REMOVED:
                del place[last]
            else:
                place[last] = value
        cases.append({"why": why, "field": field, "survey": document})
    just_kept = copy.deepcopy(small_survey())
    most, least = over_by_one()
    just_kept["tables"][0]["counts"] = [most - 1, least + 1]
    nulls = paired_survey() | {"tiers": None}
    nulls["attributes"][0] |= {"bins": None, "missing": None, "unlisted": None}
    nulls["attributes"][1] |= {"missing": None, "unlisted": None}
    nulls["attributes"][1]["mechanisms"][0]["signed"] = None
    nulls["attributes"][0]["reads"] = nulls["attributes"][1]["reads"] = None
    nulls["attributes"][3] |= {"missing": None, "unlisted": None, "reads": None}
    nulls["attributes"][3]["of"][1] |= {"missing": None, "bins": None, "reads": None}
    odd = paired_survey()
    odd["attributes"][3] |= {"reads": "what its parts do not", "values": 7, "low": "high"}
    odd["attributes"][3]["of"][0] |= {"coin": 0, "mechanisms": "of parts are not looked at"}
    odd["attributes"][3]["of"][1] |= {"name": "wifi"}
    in_tiers = small_survey() | {"epsilon": None, "tiers": [1.0]}
    return {
        "about": "surveys that a device must refuse, with a message that names the field; "
        "and some that it must take; `bytes` are documents as they arrive, each text (or bytes, "
        "where it says `hex`) so many times",
        "refused": cases,
        "taken": [
            {"why": "the survey that the refused ones are changes of", "survey": small_survey()},
            {"why": "a table that keeps its epsilon by less than one count", "survey": just_kept},
            {"why": "null where a field is optional", "survey": nulls},
            {"why": "null for epsilon beside tiers", "survey": in_tiers},
            {"why": "a survey with a crosstab", "survey": paired_survey()},
            {"why": "a crosstab with fields that it does not have", "survey": odd},
            *({"why": why, "survey": survey}
              for why, survey in (*taken_surveys(), *extreme_surveys(), *kept_promises())),
        ],
        "bytes": byte_cases(),
    }  # fmt: skip


def marked(text: str, marks: int) -> list[tuple[str, int]]:
    """The document with so many `[`, `{`, `:` and `,`, those of a text among them."""
    before, after = '{"[{:,": [', "{}], " + text[1:]
    pairs, odd = divmod(marks - sum(map((before + after).count, "[{:,")), 2)
    return [(before, 1), ("[],", pairs), ("0," * odd + after, 1)]


def long_row(text: str, counts: int) -> list[tuple[str, int]]:
    """The document with one table more, which no mechanism uses, of so many counts."""
    table = f'{text[:-2]}, {{"kind": "circulant", "counts": [{(1 << 53) - counts + 1}'
    return [(table, 1), (", 1", counts - 1), ("]}]}", 1)]


def byte_cases() -> list[dict[str, Any]]:
    """Documents byte by byte: how numbers may be written, and what is refused unparsed."""
    text = json.dumps(small_survey())
    cases: list[tuple[str, bool, Any]] = [
        ("as it should be", True, [(text, 1)]),
        ("white space and unknown fields", True,
         [(" \n\t", 100), (text.replace('"name"', '"colour": {"deep": [[]]}, "name"'), 1)]),
        ("integers written as fractions", True,
         [(text.replace('"answers": 1', '"answers": 1.0').replace('"coin": 1', '"coin": 10e-1'),
           1)]),
        ("numbers written as integers", True,
         [(text.replace("0.0", "0").replace("90.0", "90"), 1)]),
        ("of a name given twice the last counts", True,
         [(text.replace('{"format"', '{"format": "x", "format"', 1), 1)]),
        ("empty", False, []),
        ("not closed", False, [(text[:-1], 1)]),
        ("something after it", False, [(text, 2)]),
        ("a byte order mark", False, [("\ufeff", 1), (text, 1)]),
        ("a number that JSON has not", False, [(text.replace("90.0", "NaN"), 1)]),
        ("a number beyond doubles", False, [(text.replace("90.0", "1e999"), 1)]),
        ("a number beyond doubles that nobody reads", True,
         [(text.replace('"name"', '"colour": 1e999, "name"', 1), 1)]),
        ("a large number of many digits", True,
         [(text.replace('"low": 0.0', '"low": -1' + "0" * 305, 1), 1)]),
        ("a trailing comma", False, [(text.replace("[1]", "[1,]", 1), 1)]),
        ("more than a mebibyte", False, [(" ", 1 << 20), (text, 1)]),
        ("a mebibyte", True, [(" ", (1 << 20) - len(text)), (text, 1)]),
        ("a number of 401 digits", False,
         [('{"x": ', 1), ("9", 401), (", ", 1), (text[1:], 1)]),
        ("a number of 400 digits", True,
         [('{"x": ', 1), ("9", 400), (", ", 1), (text[1:], 1)]),
        ("too many arrays", False,
         [('{"x": [', 1), ("[],", 1 << 16), ("[]], ", 1), (text[1:], 1)]),
        ("as many brackets, colons and commas as there may be", True, marked(text, 1 << 17)),
        ("one more than that", False, marked(text, (1 << 17) + 1)),
        ("lists nested 16 deep", True,
         [('{"x": ', 1), ("[", 15), ("]", 15), (", ", 1), (text[1:], 1)]),
        ("objects nested 16 deep", True,
         [('{"x": ', 15), ("{}", 1), ("}", 14), (", ", 1), (text[1:], 1)]),
        ("a memo of 8,192 words", True, large_memo(8191)),
        ("a memo of too many words", False, large_memo(8192)),
        ("two answers, and a memo of 8,192 words", True, large_memo(4095, answers=2)),
        ("two answers, and a memo of too many words", False, large_memo(4096, answers=2)),
        ("a small memo, beside a large table that no mechanism names", True,
         large_memo(8192, used=False)),
        ("a small memo, and in the second attribute one of 8,192 words", True,
         large_memo(8191, second=True)),
        ("a small memo, and in the second attribute one of too many words", False,
         large_memo(8192, second=True)),
        ("a row of 65,536 counts", True, long_row(text, 65536)),
        ("a row of 65,537 counts", False, long_row(text, 65537)),
    ]  # fmt: skip
    return as_json(cases + written_cases())
