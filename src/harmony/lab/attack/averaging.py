"""Averaging: an attacker who sees all of a device's reports adds up what each says.

Each report alone says little.  Many reports of an answer that never changes say it clearly, unless
they have something in common that does not average out.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from harmony_device import Survey as DeviceSurvey
from harmony_device.report import ask, memo_words, randomise
from harmony_device.tables import TOTAL, DenseTable, ReplaceTable

from ...arrays import Floats
from ...survey import Survey
from .blackbox import EpsilonBound, Outcomes, attack

ROUNDS = 52
BINS = 64
"""Sums of what reports say are sorted into so many bins, which can only hide something."""


@dataclass(frozen=True)
class Averaging:
    """What all reports of a device gave away about an answer that never changed.

    `right` is how often the attacker guesses which of two values a device has.
    """

    survey: str
    rounds: int
    reports: int
    bound: EpsilonBound
    right: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"bound": self.bound.to_dict()}


def average_rounds(
    survey: Survey,
    values: Sequence[Mapping[str, object]],
    *,
    rounds: int = ROUNDS,
    samples: int = 2_000,
    confidence: float = 0.9999,
    random_bytes: Callable[[int], bytes] = os.urandom,
) -> Averaging:
    """Attack devices that answer so many rounds with one of two records, through the SDK.

    >>> import harmony as hm
    >>> wifi = [{"wifi": False}, {"wifi": True}]
    >>> plain = hm.Survey("plain", [hm.Boolean("wifi")], epsilon=1.0)
    >>> average_rounds(plain, wifi, rounds=20, samples=400).right > 0.95
    True
    >>> remembering = hm.Survey("memory", [hm.Boolean("wifi")], epsilon=1.0, memory=2)
    >>> average_rounds(remembering, wifi, rounds=20, samples=400).bound.violated
    False
    """
    device = DeviceSurvey(survey.to_document(), survey.fingerprint)
    seeds = [random_bytes(16) for _ in range(rounds)]
    scores = _scores(device, values)
    seen: list[list[Outcomes]] = [[], []]

    def sample(place: int, count: int) -> Outcomes:
        sums = [
            _sum_of_rounds(device, seeds, values[place], scores, random_bytes) for _ in range(count)
        ]
        binned = _binned(np.array(sums), rounds * max(map(_largest, scores.values())))
        seen[place].append(binned)
        return binned

    cost = survey.cost(rounds)
    bound = attack(
        survey.name, sample, len(values), cost.steady, samples=samples, confidence=confidence
    )
    one, other = (np.concatenate(parts) for parts in seen)
    right = (np.mean(one >= BINS // 2) + np.mean(other < BINS // 2)) / 2
    return Averaging(survey.name, rounds, cost.reports, bound, float(right))


def _sum_of_rounds(
    survey: DeviceSurvey,
    seeds: Sequence[bytes],
    values: Mapping[str, object],
    scores: Mapping[tuple[int, int], Floats],
    random_bytes: Callable[[int], bytes],
) -> float:
    """Let a new device answer whenever it is its turn; add up what its reports say."""
    device, total = random_bytes(16), 0.0
    answers, memo = survey.read(values), memo_drawn(survey, device, random_bytes)
    for number, seed in enumerate(seeds):
        if survey.every is not None and number % survey.every != survey.place(device):
            continue
        asked = ask(survey, seed, device, 0)
        report = randomise(survey, device, 0, answers, asked, random_bytes, memo)
        symbols = survey.report_layout.unpack(report)[2:]
        total += sum(scores[one][symbol] for one, symbol in zip(asked, symbols, strict=True))
    return total


def memo_drawn(
    survey: DeviceSurvey, device: bytes, random_bytes: Callable[[int], bytes]
) -> list[int] | None:
    """Return a new memo of a device, if the survey has memory."""
    if survey.memory is None:
        return None
    words = memo_words(survey, ask(survey, b"", device, 0))
    return list(np.frombuffer(random_bytes(8 * words), "<u8").tolist())


def _scores(
    survey: DeviceSurvey, values: Sequence[Mapping[str, object]]
) -> dict[tuple[int, int], Floats]:
    """Return, for each attribute and row, how much likelier each symbol is of the first."""
    first, second = (survey.read(one) for one in values)
    scores = {}
    for attribute, mechanism in enumerate(survey.mechanisms[0]):
        for row in range(mechanism.rows):
            chances = [
                _chances(mechanism.table, mechanism.replace, mechanism.index(one, row, 0))
                for one in (first[attribute], second[attribute])
            ]
            scores[attribute, row] = np.log(chances[0]) - np.log(chances[1])
    return scores


def _chances(table: Any, replace: ReplaceTable | None, index: int) -> Floats:
    if isinstance(table, DenseTable):
        counts = np.array(table.counts[index], np.float64)
    else:
        counts = np.roll(np.array(table.counts, np.float64), index)
    if replace is not None:
        counts = replace.keep * (counts / TOTAL) + np.array(replace.counts, np.float64)
    return np.asarray(counts / TOTAL)


def _largest(scores: Floats) -> float:
    return float(np.abs(scores).max())


def _binned(sums: Floats, most: float) -> Outcomes:
    """Number the bins so that the upper half speaks for the first record."""
    scaled = (1 + np.sign(sums) * np.sqrt(np.abs(sums) / most)) / 2
    return np.minimum((scaled * BINS).astype(np.int64), BINS - 1)


def guess_bound(epsilon: float) -> float:
    """Return how often anyone can guess right which of two equally likely values it was.

    >>> round(guess_bound(1.0), 3), round(guess_bound(2.0), 3)
    (0.731, 0.881)
    """
    return 1 / (1 + math.exp(-epsilon))
