"""A step of a training, as a server hands it to a device: that of the vectors, cut short."""

from __future__ import annotations

import copy
from typing import Any

from .conftest import vectors

RECORD = {"charging": True, "battery": 71.5, "theme": "dark"}
GRADIENTS = ("gradient of battery", "gradient of theme")


def _short_step() -> dict[str, Any]:
    step: dict[str, Any] = copy.deepcopy(vectors("steps")["step"])
    survey = step["survey"]
    survey["attributes"] = [one for one in survey["attributes"] if one["name"] in GRADIENTS]
    step["derive"] = {name: step["derive"][name] for name in GRADIENTS}
    return step


STEP = _short_step()


def step_document(number: int = 1, **changes: Any) -> dict[str, Any]:
    """Return a step of the training, with some fields changed."""
    document = copy.deepcopy(STEP)
    document["step"] = number
    document["round"]["label"] = f"charging:{number}"
    return {**document, **changes}
