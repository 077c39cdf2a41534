"""A step of a training, as a server hands it to a device."""

from __future__ import annotations

import copy
from typing import Any

RECORD = {"charging": True, "battery": 71.5, "theme": "dark"}

_EVEN = [3 << 51, 1 << 51]
"""Three to one: a little less than epsilon 1.1 allows."""

_GRID = {"code": "grid", "points": 2, "outputs": [-1.9, 1.9], "table": 0}
_SIGNED = {"code": "linear", "base": 2, "digits": 3, "multipliers": [1], "signed": True, "table": 1}

STEP: dict[str, Any] = {
    "format": "harmony-step/1",
    "training": "charging",
    "step": 1,
    "survey": {
        "format": "harmony-survey/1",
        "name": "charging.step-1",
        "epsilon": 1.1,
        "answers": 1,
        "attributes": [
            {"name": "gradient of battery", "kind": "numeric", "low": -1, "high": 1,
             "coin": 1, "mechanisms": [_GRID]},
            {"name": "gradient of theme", "kind": "signed", "values": ["light", "dark", "auto"],
             "coin": 1, "mechanisms": [_SIGNED]},
        ],
        "tables": [
            {"kind": "dense", "counts": [_EVEN, _EVEN[::-1]]},
            {"kind": "circulant", "counts": _EVEN},
        ],
    },
    "round": {"label": "charging:1", "seed": "ab" * 16, "opened": "2027-01-15T08:00:00Z",
              "closes": "2027-01-15T09:00:00Z"},
    "features": [
        {"name": "battery", "kind": "numeric", "low": 0, "high": 100},
        {"name": "theme", "kind": "categorical", "values": ["light", "dark", "auto"]},
    ],
    "label": {"name": "charging", "kind": "categorical", "values": [False, True]},
    "model": {"intercept": 0.1, "weights": {"battery": 0.5, "theme": [0.2, -0.1, 0.0]}},
    "derive": {
        "gradient of battery": {"is": "gradient", "feature": "battery", "clip": 1.5},
        "gradient of theme": {"is": "gradient", "feature": "theme", "clip": 1.5},
    },
}  # fmt: skip


def step_document(number: int = 1, **changes: Any) -> dict[str, Any]:
    """Return a step of the training, with some fields changed."""
    document = copy.deepcopy(STEP)
    document["step"] = number
    document["round"]["label"] = f"charging:{number}"
    return {**document, **changes}
