"""Surveys over many rounds, for the device's tests."""

from __future__ import annotations

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
