"""Surveys over many rounds, for the device's tests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from .conftest import small_survey

HALF, QUARTER = 1 << 52, 1 << 51


def remembering_survey(**changes: Any) -> dict[str, Any]:
    """The small survey with memory: memos of 3 to 1, of which every second one is kept.

    A report keeps log(5 / 3), all reports of an answer log 3, and a change log 3 as well.
    """
    document = small_survey(epsilon=0.52, memory=1.1, change=1.1)
    row = [3 * QUARTER, QUARTER]
    document["tables"] = [
        {"kind": "circulant", "counts": row},
        {"kind": "dense", "counts": [row, row[::-1]]},
        {"kind": "replace", "counts": [HALF, QUARTER, QUARTER]},
    ]
    for attribute in document["attributes"]:
        attribute["mechanisms"][0]["replace"] = 2
    return {**document, **changes}


def check_memos(seen: Iterable[tuple[str, str, str]], lines: Sequence[dict[str, Any]]) -> None:
    """Whether each identity that reported had one memo for all of its rounds, and no other has it.

    `seen` has what reports a server saw, `lines` are those of the device's ledger.
    """
    device_of = {label: report[:32] for _, label, report in seen}
    memos, owners = defaultdict(set), defaultdict(set)
    for line in lines:
        if line["event"] == "answered" and line["round"] in device_of:
            assert line.keys() >= {"memory", "change", "memo"}
            memos[device_of[line["round"]]].add(line["memo"])
            owners[line["memo"]].add(device_of[line["round"]])
    assert all(len(one) == 1 for one in memos.values()), "a memo was drawn again"
    assert all(len(one) == 1 for one in owners.values()), "a memo outlived consent"
