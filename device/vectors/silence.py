"""Values that have no place in a survey: every one has an answer, whatever it is.

JSON cannot write all that a program may hold, so {"special": ...} stands for a number that is none,
and for a name that is not there at all.
"""

from __future__ import annotations

import math
from typing import Any

from harmony import Boolean, Categorical, Crosstab, Distribution, Integer, Numeric, Survey

NAN, INFINITE, ABSENT = {"special": "nan"}, {"special": "infinity"}, {"special": "absent"}
_SPECIAL = {"nan": math.nan, "infinity": math.inf}


def silent_survey() -> Survey:
    """Every kind of attribute, with stand-ins and without."""
    ages = [0, 18, 30, 45, 60, 75, 120]
    return Survey(
        "silence",
        [
            Numeric("battery", 0, 100),
            Numeric("charge", 0, 100, missing=25),
            Numeric("age", 0, 120, bins=ages),
            Numeric("years", 0, 120, bins=ages, missing=40),
            Categorical("theme", ["light", "dark", "auto"]),
            Categorical("city", ["Ulm", "Köln", "other", "none"], missing="none", unlisted="other"),
            Categorical("shop", ["A", "B", "rest"], unlisted="rest"),
            Categorical("plan", ["free", "paid", "unknown"], missing="unknown"),
            Boolean("wifi"),
            Boolean("nfc", missing=False),
            Integer("cards", 0, 15),
            Integer("sims", 0, 3, missing=0, unlisted=3),
            Crosstab("theme", "wifi"),
            Crosstab("city", "battery"),
            Crosstab("plan", "charge"),
            Crosstab("shop", "sims"),
            Crosstab("years", "cards"),
            Crosstab("age", "nfc"),
            Distribution("level", 0, 100, bins=16, reads="battery"),
            Distribution("power", 0, 100, step=10, missing=50, reads="charge"),
        ],
        epsilon=4.0,
        answers=22,
    )


WHOLE: dict[str, Any] = {
    "battery": 71.5, "charge": 12, "age": 29.999, "years": 75, "theme": "dark", "city": "Köln",
    "shop": "B", "plan": "paid", "wifi": True, "nfc": True, "cards": 7, "sims": 1,
}  # fmt: skip


def people() -> list[dict[str, Any]]:
    """People whose values are all there, all missing, of other types, beyond every list."""
    everywhere = [None, NAN, INFINITE, ABSENT, "", "71", "true", True, False, 0, 1, 2.0, 0.5, -1,
                  16, 1e300, [], {}, "purple", "K\u0308ln", "\ud800"]  # fmt: skip
    same = [dict.fromkeys(WHOLE, value) for value in everywhere]
    one_off = [WHOLE | {name: value} for name in WHOLE for value in (None, "purple", 99)]
    return [WHOLE, *same, *one_off]


def told(values: dict[str, Any]) -> dict[str, Any]:
    """The values as a program holds them."""
    return {
        name: _SPECIAL[value["special"]] if isinstance(value, dict) and value else value
        for name, value in values.items()
        if value != ABSENT
    }
