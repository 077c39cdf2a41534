"""Vectors of ledgers: what they leave of an owner's limits, and lines that nobody can read."""

from __future__ import annotations

import copy
import json
from typing import Any

from over_time import NOW, answered


def ledger_vectors() -> dict[str, Any]:
    """Ledgers, and which tier an owner's limits leave to a survey."""

    def line(at: str, event: str = "answered", epsilon: float = 1.0, round: str = "a") -> str:
        written: dict[str, Any] = {"at": at, "event": event}
        if event in ("answered", "accepted"):
            written |= {"survey": "phones", "round": round}
        if event == "answered":
            written |= {"epsilon": epsilon, "asked": ["wifi"]}
        return json.dumps(written)

    def dropped(round: str) -> str:
        return line(now, "accepted", round=round).replace("accepted", "dropped: closed")

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
        ("a last line that lacks nothing but its end does not count", [*spent[:3],
         spent[3] + "<cut>"], now, month, one, "b", 0),
        ("reports that were dropped count",
         [*spent, *(dropped(str(day)) for day in (1, 5, 9, 13))], now, month, one, "b",
         "per_30_days"),
        ("a label of which a report was dropped", [line(now, epsilon=2.0, round="b"), dropped("b")],
         now, month, one, "b", "per_round"),
        ("a report may spend what a round may, where no limit says less", [], now,
         {"per_round": 1.0, "per_30_days": 4.0}, [2.0], "b", "per_report"),
        ("a round may spend what 30 days may, where no limit says less",
         [line(now, epsilon=2.0, round="b")], now, {"per_report": 1.0, "per_30_days": 2.5}, one,
         "b", "per_round"),
        ("a report of more than a round may spend", [], now,
         {"per_report": 3.0, "per_round": 1.0, "per_30_days": 4.0}, [2.0], "b", "per_round"),
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
        ("a clock that ran ahead by exactly 30 days, noticed now",
         [line("2026-12-16T12:00:00Z", epsilon=4.0)], now, month, one, "b", "per_30_days"),
        ("a clock that ran ahead by a second less",
         [line("2026-12-16T11:59:59Z", epsilon=4.0)], now, month, one, "b", "per_30_days"),
        ("a clock that was set back by exactly 30 days before",
         [line("2026-11-10T00:00:00Z", "accepted", round="z"),
          line("2026-10-11T00:00:00Z", epsilon=4.0)], now, month, one, "b", "per_30_days"),
        ("a clock that was set back by a second less",
         [line("2026-11-10T00:00:00Z", "accepted", round="z"),
          line("2026-10-11T00:00:01Z", epsilon=4.0)], now, month, one, "b", 0),
        ("a clock that was set back, as a line about the clock tells",
         [line("2026-11-10T00:00:00Z", "clock"), line("2026-10-01T00:00:00Z", epsilon=4.0)], now,
         month, one, "b", "per_30_days"),
        ("the limit that forbids the least tier, not the greatest", spent, now, month, [2.0, 0.5],
         "b", "per_30_days"),
        ("the first limit that forbids the least tier", [line(now, epsilon=4.0, round="b")], now,
         month, [2.0, 0.5], "b", "per_round"),
        *((f"a line that can be read: {why}", [written], now, {"per_30_days": 1.0}, one, "b", 0)
          for why, written in readable()),
    ]  # fmt: skip
    damaged = ["", "{}", "null", '{"at": "x", "event": "clock"}', line(now)[:-5],
               line(now, epsilon=0), line(now, epsilon=-1),
               '{"at": "2026-11-16T12:00:00Z", "event": "accepted"}',
               line(now).replace("answered", "refunded"), line(now).replace("1.0", '"1.0"'),
               line(now).replace("1.0", "Infinity"), line(now).replace("1.0", "1e999"),
               line(now).replace('"a"', "7"), line("2026-11-16T12:00:00+00:00"),
               line("2026-11-16T12:00:00"), line("2026-11-16", "clock"),
               line("2026-02-30T12:00:00Z", "forgotten"), "\ufeff" + line(now),
               line(now).replace(', "asked": ["wifi"]', ""),
               line(now).replace('["wifi"]', '"wifi"'), line(now).replace('["wifi"]', "null"),
               line(now, "accepted").replace("accepted", "dropped"),
               line(now, "accepted").replace("accepted", "dropped:"),
               line(now, "accepted").replace("accepted", "accepted: 201"),
               line("2026-11-16T24:00:00Z", "clock"), line("2026-11-16T12:00:60Z", "clock"),
               line("2027-02-29T12:00:00Z", "clock"), *damaged_lines()]  # fmt: skip
    return {
        "about": "the lines of a ledger (the last without its end where it says <cut>), the time, "
        "the owner's limits and a survey's tiers; what a device in round `round` answers with: the "
        "place of a tier, or the limit that forbids the least. `memory` are the same for charges "
        "of surveys with memory, `damaged` are lines after which nothing may be answered.",
        "limits": [
            {
                "why": why, "lines": lines, "now": at, "limit": limit, "tiers": tiers,
                "round": label, "answer": answer,
            }
            for why, lines, at, limit, tiers, label, answer in cases
        ],
        "damaged": damaged,
        "memory": charge_vectors(),
    }  # fmt: skip


def readable() -> list[tuple[str, str]]:
    """Lines of long ago that are as they may be, however odd."""
    line = json.loads(answered(3)) | {"at": "2026-01-01T00:00:00Z"}
    of_round = {"at": line["at"], "survey": "phones", "round": "a"}
    memo = {"memory": 2.0, "change": 1.5, "memo": "a"}
    lines: list[tuple[str, dict[str, Any]]] = [
        ("a field that nobody knows", line | {"colour": "red"}),
        ("a year as early as can be", line | {"at": "0001-01-01T00:00:00Z"}),
        ("null for a number, and for a memo",
         line | {"number": None, "memory": None, "change": None, "memo": None}),
        ("a number as large as can be", line | {"number": 2**53 - 1}),
        ("nothing was asked", line | {"asked": []}),
        ("a survey and a round of other names than lists have",
         line | {"survey": "../phones", "round": "week 46"}),
        ("an epsilon that no document has", line | {"epsilon": 1e300}),
        ("a tiny epsilon", line | {"epsilon": 1e-300}),
        ("a memo whose epsilon, memory and change no document has",
         line | memo | {"epsilon": 25, "memory": 30, "change": 1e-9}),
        ("a memo that is no hexadecimal", line | memo | {"memo": ""}),
        ("dropped, for no reason", of_round | {"event": "dropped: "}),
        ("accepted, of a round that the ledger does not have", of_round | {"event": "accepted"}),
    ]  # fmt: skip
    return [(why, json.dumps(written)) for why, written in lines]


def charge_vectors() -> list[dict[str, Any]]:
    """What reports of surveys with memory leave of an owner's limits."""

    def line(
        day: int, memo: str | None, epsilon: float = 1.0, month: str = "2026-11", **more: float
    ) -> str:
        at = f"{month}-{day:02d}T00:00:00Z"
        written = {"at": at, "event": "answered", "survey": "weekly", "round": str(day),
                   "epsilon": epsilon, "asked": ["wifi"]}  # fmt: skip
        if memo is not None:
            written |= {"memory": 2.0, "change": 1.5, "memo": memo, **more}
        return json.dumps(written)

    charge = {"epsilon": 1.0, "memory": 2.0, "change": 1.5, "memo": "a"}
    fresh = {"epsilon": 1.0}
    two = [line(1, "a"), line(8, "a")]
    steady = {"steady": True}
    cases: list[tuple[str, list[str], dict[str, Any], dict[str, Any], Any]] = [
        ("a report counts its change", [], {"per_30_days": 1.5}, charge, True),
        ("and no less", [], {"per_30_days": 1.4}, charge, "per_report"),
        ("so do those before", two, {"per_report": 2.0, "per_30_days": 4.5}, charge, True),
        ("and no less than that", two, {"per_report": 2.0, "per_30_days": 4.4}, charge,
         "per_30_days"),
        ("steady, a report counts its epsilon", [],
         {"per_report": 1.0, "per_30_days": 2.0, **steady}, charge, True),
        ("steady, all of a memo count memory", [*two, line(9, "a"), line(10, "a")],
         {"per_report": 1.0, "per_30_days": 2.0, **steady}, charge, True),
        ("steady, the first counts its change", [],
         {"per_report": 1.0, "per_30_days": 1.4, **steady}, charge, "per_30_days"),
        ("steady, a second memo counts anew", two,
         {"per_report": 1.0, "per_30_days": 3.4, **steady}, charge | {"memo": "b"}, "per_30_days"),
        ("steady, a second memo that fits", two,
         {"per_report": 1.0, "per_30_days": 3.5, **steady}, charge | {"memo": "b"}, True),
        ("steady, other surveys count in full", [*two, line(9, None), line(10, None)],
         {"per_report": 1.0, "per_30_days": 4.9, **steady}, fresh, "per_30_days"),
        ("steady, and no more than that", [*two, line(9, None), line(10, None)],
         {"per_report": 1.0, "per_30_days": 5.0, **steady}, fresh, True),
        ("steady, the greatest memory of a memo counts",
         [line(1, "a", memory=2.5), line(8, "a")],
         {"per_report": 1.0, "per_30_days": 2.4, **steady}, charge, "per_30_days"),
        ("steady, what a memo spent longer ago than 30 days does not count",
         [line(1, "a", month="2026-10")], {"per_report": 1.0, "per_30_days": 1.5, **steady},
         charge, True),
        ("steady, the memory of longer ago does not count either",
         [line(1, "a", month="2026-10", memory=9.0), *two],
         {"per_report": 1.0, "per_30_days": 2.0, **steady}, charge, True),
        ("steady, a label counts epsilon", [line(16, "a")],
         {"per_report": 1.0, "per_round": 2.0, "per_30_days": 9.0, **steady},
         charge | {"memo": "b"}, True),
        ("a label counts changes", [line(16, "a")],
         {"per_report": 1.5, "per_round": 2.9, "per_30_days": 9.0}, charge, "per_round"),
    ]  # fmt: skip
    return [
        {"why": why, "lines": lines, "now": NOW, "limit": limit, "charge": charge, "round": "16",
         "answer": answer}
        for why, lines, limit, charge, answer in cases
    ]  # fmt: skip


def damaged_lines() -> list[str]:
    """Lines about numbers and memos after which nothing is answered."""
    line = json.loads(answered(3)) | {"memory": 2.0, "change": 1.5, "memo": "a"}
    changes: list[dict[str, Any]] = [
        {"number": -1}, {"number": 1.5}, {"number": "3"}, {"number": True}, {"number": 2**53},
        {"memory": None}, {"change": None}, {"memory": 0}, {"change": -1}, {"memory": "2"},
        {"memo": 7}, {"memo": None}, {"event": ["answered"]}, {"event": ["accepted"]},
        {"event": ["dropped: closed"]}, {"event": ["clock"]}, {"event": 7}, {"at": [NOW]},
        {"at": "0000-12-31T12:00:00Z"}, {"at": "10000-01-01T00:00:00Z"}, {"at": "+002026-11-16"},
        {"survey": ["phones"]}, {"round": True}, {"memo": ["a"]}, {"asked": {}},
        {"survey": "\ud800"}, {"round": "a\udfff"}, {"memo": "\ud800"},
        {"event": "dropped: \ud800"},
    ]  # fmt: skip
    lines = []
    for change in changes:
        written = copy.deepcopy(line) | change
        lines.append(json.dumps({key: one for key, one in written.items() if one is not None}))
    return lines
