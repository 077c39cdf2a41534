"""Findings: the strings that an exploration found, with shares and intervals, and the rest."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import norm

from ..mechanisms.linear import Linear
from ..survey import Survey
from ..tally import Tally
from .picked import Picked, picked_interval
from .schedule import Schedule

if TYPE_CHECKING:
    from .explorer import Candidate

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Found:
    """A string that was found, and its share with an interval that holds although it was picked."""

    text: str
    share: float
    low: float
    high: float
    is_cut: bool
    """Whether texts that begin so were not told apart."""

    @property
    def shown(self) -> str:
        """The text as it is shown: with three dots where it was cut."""
        return f"{self.text}..." if self.is_cut else self.text or "(empty)"


@dataclass(frozen=True)
class Findings:
    """What an exploration found.

    `rest` is the share of all other texts, and of devices without one.  `mistakes` is how many of
    the strings, on average and at most, are held by nobody.
    """

    exploration: str
    epsilon: float
    devices: int
    mistakes: float
    strings: tuple[Found, ...]
    rest: float
    rest_low: float
    rest_high: float

    def __len__(self) -> int:
        return len(self.strings)

    def __iter__(self) -> Iterator[Found]:
        return iter(self.strings)

    def to_document(self) -> dict[str, Any]:
        return asdict(self) | {"strings": [asdict(one) for one in self.strings]}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Findings:
        """Read findings back."""
        strings = tuple(Found(**one) for one in document["strings"])
        return cls(**{**document, "strings": strings})


def found_strings(
    candidates: Sequence[Candidate], schedule: Schedule, history: Sequence[Mapping[str, Any]]
) -> list[Found]:
    """Return the candidates that pass, the most common first, with their intervals."""
    devices = sum(one["devices"] for one in history)
    tested = sum(one.get("tested", 0.0) for one in history)
    found = []
    for one in candidates:
        pooled = one.evidence
        found_from = pooled.threshold(schedule.found_threshold(tested, one.chance))
        estimate = pooled.estimate
        if estimate <= found_from or len(pooled.parts) < 2:
            continue
        variance = pooled.variance(estimate, devices)
        between = pooled.first_variance(estimate, devices) - variance
        picked = Picked(found_from, one.kept_from, math.sqrt(max(0.0, between)))
        low, high = picked_interval(estimate, math.sqrt(variance), picked, CONFIDENCE)
        found.append(Found(one.text, min(estimate, 1.0), low, high, one.is_cut))
    found.sort(key=lambda one: (-one.share, one.text))
    return found[: schedule.exploration.wanted]


def share_of_rest(survey: Survey, tally: Tally, found: Sequence[int]) -> tuple[float, float, float]:
    """Return the share of all but the found places of the last step, with its interval."""
    linear = survey.mechanisms[0][0]
    assert isinstance(linear, Linear)
    cells, n = tally.cells[0][0], tally.reports
    supports = np.zeros(cells.shape)
    rows = np.arange(len(cells))
    for value in found:
        indices = np.array([linear.code.index(value, int(row)) for row in rows])
        supports += linear.support[indices]
    decoded = 1 - (supports - len(found) * linear.q) / (linear.p - linear.q)
    share = float((cells * decoded).sum() / n)
    variance = float((cells * (decoded - share) ** 2).sum() / n)
    half = float(norm.ppf((1 + CONFIDENCE) / 2)) * math.sqrt(variance / n)
    low, high = (min(1.0, max(0.0, edge)) for edge in (share - half, share + half))
    return min(1.0, max(0.0, share)), low, high
