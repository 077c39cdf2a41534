"""Attack a whole survey through the shipped device SDK, attribute by attribute."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from harmony_device.coins import assign

from ...attributes import Categorical
from ...questions import Part
from ...survey import Survey
from ...text import TextPlaces
from .blackbox import EpsilonBound, attack
from .samplers import device_sampler, process_sampler

MOST_INPUTS = 8
"""Values of an attribute that are tried; a categorical one's are spread over its list."""


def attack_survey(
    survey: Survey,
    *,
    samples: int = 100_000,
    confidence: float = 0.99,
    command: Sequence[str] | None = None,
    process: bool = False,
    random_bytes: Callable[[int], bytes] = os.urandom,
    advance: Callable[[float], None] = lambda share: None,
) -> list[EpsilonBound]:
    """Return the attack's lower bound on epsilon for a device asked about each attribute.

    For each attribute of each tier a device is found whose public coin asks about it; all its
    values change together, so a report's several answers are attacked at once.  `process` runs
    the Python SDK in a process of its own, `command` any other device program.  `advance` hears
    the share that is done.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0)
    >>> [bound.violated for bound in attack_survey(survey, samples=2000, confidence=0.9999)]
    [False]
    """
    seed = random_bytes(16)
    inputs = tried_records(survey)
    found = []
    for tier, epsilon in enumerate(survey.tiers):
        for place, attribute in enumerate(survey.attributes):
            device = _device_asked(survey, seed, tier, place, random_bytes)
            if command is not None or process:
                program = {} if command is None else {"command": command}
                sampler, count = process_sampler(survey, seed, device, inputs, tier, **program)
            else:
                sampler, count = device_sampler(survey, seed, device, inputs, tier, random_bytes)
            found.append(
                attack(
                    attribute.name, sampler, count, epsilon,
                    samples=samples, confidence=confidence,
                )
            )  # fmt: skip
            advance(len(found) / (len(survey.tiers) * len(survey.attributes)))
    return found


def tried_records(survey: Survey) -> list[dict[str, Any]]:
    """Return records whose values all differ from those of the next."""
    tried = {part.source: _values(part) for part in survey.readings}
    return [
        {name: values[place % len(values)] for name, values in tried.items()}
        for place in range(max(map(len, tried.values())))
    ]


def _values(attribute: Part) -> list[Any]:
    if isinstance(attribute, TextPlaces):
        listed = [*attribute.strings, *attribute.prefixes][: MOST_INPUTS - 1]
        spelled = map(attribute.text.code.spelled, listed)
        return [*dict.fromkeys(one.text for one in spelled if one is not None), "\U0010ffff"]
    if not isinstance(attribute, Categorical):
        return [attribute.low, attribute.high, (attribute.low + attribute.high) / 2]
    values = list(attribute.values)
    step = max(1, len(values) // MOST_INPUTS)
    return values[::step][:MOST_INPUTS]


def _device_asked(
    survey: Survey, seed: bytes, tier: int, place: int, random_bytes: Callable[[int], bytes]
) -> bytes:
    """Return a device whose coin asks about attribute number `place`."""
    while True:
        device = random_bytes(16)
        coin = seed if survey.memory is None else survey.seeds[0]
        asked = assign(coin, device, survey.weights, survey.rows(tier), survey.answers)
        if place in (attribute for attribute, _ in asked):
            return device
