"""A step of an exploration: a survey that asks for a text's place among what was kept so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from harmony_device.protocol import STEP_FORMAT

from ..rounds import Round
from ..survey import Survey
from .definition import Exploration

SEARCH, COUNT = "search", "count"


@dataclass(frozen=True, eq=False)
class Step:
    """What devices are asked next, and how many of them are wanted.

    A search asks how kept prefixes go on; the last step counts strings, and all others as one.
    """

    exploration: Exploration
    number: int
    purpose: str
    prefixes: Sequence[str]
    bits: int
    strings: Sequence[str]
    devices: int

    @cached_property
    def survey(self) -> Survey:
        """The survey that devices answer; its name tells the exploration and the step."""
        asked = self.exploration.text.places(self.prefixes, self.bits, self.strings)
        name = f"{self.exploration.name[:80]}.step-{self.number}"
        return Survey(name, [asked], self.exploration.epsilon)

    @property
    def depth(self) -> int:
        """How many bits the prefixes have."""
        return len(self.prefixes[0]) if self.prefixes else 0

    def to_document(self, round: Round | None = None) -> dict[str, Any]:
        """Return what a device pulls: the survey, which says all."""
        document: dict[str, Any] = {
            "format": STEP_FORMAT,
            "training": self.exploration.name,
            "step": self.number,
            "survey": self.survey.to_document(),
        }
        if round is not None:
            document["round"] = {"label": round.label, "seed": round.seed.hex()}
        return document
