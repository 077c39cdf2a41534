"""Everything attacked at once: what ships, Duchi et al.'s two versions, and poisoning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from ...attributes import Attribute, Boolean, Categorical, Numeric
from ...survey import Survey
from .averaging import ROUNDS, Averaging, average_rounds
from .blackbox import EpsilonBound
from .duchi import DuchiFinding, examine_duchi
from .poisoning import Poisoning, measure_poisoning
from .survey import attack_survey

CONFIDENCE = 0.9999
DISHONEST = (0.01, 0.02, 0.05)
POISONED = 10
"""Devices of a poisoned survey, for each sample of an attack."""
RUNS = 20


@dataclass(frozen=True)
class Findings:
    """What the attacks found: bounds on what ships by survey, Duchi's method, and biases."""

    shipped: dict[str, list[EpsilonBound]]
    averaging: list[Averaging]
    duchi: list[DuchiFinding]
    poisoning: list[Poisoning]

    @property
    def sound(self) -> bool:
        """Whether all that ships keeps epsilon, and of Duchi's method all but what is broken."""
        kept = not any(bound.violated for bounds in self.shipped.values() for bound in bounds)
        kept &= not any(one.bound.violated for one in self.averaging)
        return kept and all(
            one.attack.violated == one.biased == (one.d % 2 == 0 and not one.fixed)
            for one in self.duchi
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "sound": self.sound,
            "shipped": {
                name: [bound.to_dict() for bound in bounds] for name, bounds in self.shipped.items()
            },
            "averaging": [one.to_dict() for one in self.averaging],
            "duchi": [asdict(one) | {"attack": one.attack.to_dict()} for one in self.duchi],
            "poisoning": [one.to_dict() for one in self.poisoning],
        }


def shipped_surveys() -> list[Survey]:
    """One survey for each mechanism and shape that ships.

    >>> [survey.name for survey in shipped_surveys()]
    ['auto', 'harmony', '2-answers']
    """
    attributes: list[Attribute] = [
        Numeric("number", 0, 100),
        Categorical("2 values", ["a", "b"]),
        Categorical("3 values", ["a", "b", "c"]),
        Categorical("16 values", [f"value {place}" for place in range(16)]),
    ]
    return [
        Survey("auto", attributes, 1.0),
        Survey("harmony", attributes, 1.0, mechanism="harmony"),
        Survey("2-answers", attributes, 4.0, answers=2),
    ]


def averaged_surveys() -> list[Survey]:
    """The same question asked over many rounds: afresh, with rotation and with memory."""
    wifi = [Boolean("wifi")]
    return [
        Survey("fresh", wifi, 1.0),
        Survey("rotation", wifi, 1.0, every=ROUNDS),
        Survey("memory", wifi, 1.0, memory=2),
    ]


def attack_everything(
    samples: int = 20_000,
    confidence: float = CONFIDENCE,
    advance: Callable[[float], None] = lambda share: None,
) -> Findings:
    """Attack with `samples` reports of each input; `advance` hears the share that is done."""
    surveys = shipped_surveys()
    shipped = {}
    for place, survey in enumerate(surveys):
        shipped[survey.name] = attack_survey(survey, samples=samples, confidence=confidence)
        advance(0.6 * (place + 1) / len(surveys))
    averaging = [
        average_rounds(
            one, [{"wifi": False}, {"wifi": True}], samples=max(100, samples // 10),
            confidence=confidence,
        )
        for one in averaged_surveys()
    ]  # fmt: skip
    advance(0.8)
    duchi = examine_duchi(samples=4 * samples, confidence=confidence)
    advance(0.9)
    poisoning = [
        measure_poisoning(dishonest=share, assigned=assigned, devices=POISONED * samples, runs=RUNS)
        for share in DISHONEST
        for assigned in (True, False)
    ]
    advance(1.0)
    return Findings(shipped, averaging, duchi, poisoning)
