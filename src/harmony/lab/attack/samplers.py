"""Samplers: what the attacks draw reports from.

A baseline with few outcomes; a baseline whose reports are real numbers, sorted into bins (which
can only hide a violation, never make one); and the shipped device SDK, in this process or in one
of its own, reached through nothing but its documents and its reports.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from harmony_device import Survey as DeviceSurvey
from harmony_device import make_report

from ...errors import HarmonyError
from ...survey import Survey
from ..baselines import Baseline, FiniteBaseline
from .averaging import memo_drawn
from .blackbox import Outcomes, Sampler

Values = Mapping[str, Any]

HEADER_BYTES = 17
"""A report starts with the device's id and its tier, which do not depend on the values."""

DEVICE_PROGRAM = """
import json, os, sys
from harmony_device import Survey, make_report
from harmony_device.report import ask, memo_words
asked = json.load(sys.stdin)
survey = Survey(asked["survey"], asked["fingerprint"])
seed, device, tier = bytes.fromhex(asked["seed"]), bytes.fromhex(asked["device"]), asked["tier"]
words = memo_words(survey, ask(survey, seed, device, tier)) if survey.memory else 0
for _ in range(asked["count"]):
    memo = [int.from_bytes(os.urandom(8), "little") for _ in range(words)]
    report = make_report(survey, seed, device, tier, asked["values"], os.urandom, memo)
    sys.stdout.buffer.write(report)
"""


def baseline_sampler(baseline: FiniteBaseline, rng: np.random.Generator) -> tuple[Sampler, int]:
    """Return a sampler over the baseline's extreme inputs, and how many there are."""
    inputs = baseline.extremes()

    def sample(place: int, count: int) -> Outcomes:
        data = np.repeat(inputs[place : place + 1], count, axis=0)
        return baseline.number(baseline.randomize(data, rng))

    return sample, len(inputs)


def binned_sampler(
    baseline: Baseline, inputs: Any, edges: Any, rng: np.random.Generator
) -> tuple[Sampler, int]:
    """Return a sampler of the first statistic's decoded report, by the bin it falls in."""

    def sample(place: int, count: int) -> Outcomes:
        data = np.repeat(inputs[place : place + 1], count, axis=0)
        return np.digitize(baseline.decode(baseline.randomize(data, rng))[:, 0], edges)

    return sample, len(inputs)


def device_sampler(
    shipped: Survey,
    round_seed: bytes,
    device: bytes,
    inputs: Sequence[Values],
    tier: int = 0,
    random_bytes: Callable[[int], bytes] = os.urandom,
) -> tuple[Sampler, int]:
    """Return a sampler of one device's reports, made by the SDK in this process.

    The round and the device fix the public coin; an outcome is all the symbols of the report.
    With memory each report is the first of a new memo.
    """
    survey = DeviceSurvey(shipped.to_document(), shipped.fingerprint)

    def sample(place: int, count: int) -> Outcomes:
        values = inputs[place]
        reports = b"".join(
            make_report(
                survey,
                round_seed,
                device,
                tier,
                values,
                random_bytes,
                memo_drawn(survey, device, random_bytes),
            )
            for _ in range(count)
        )
        return _symbols(reports, survey, tier)

    return sample, len(inputs)


def process_sampler(
    shipped: Survey,
    round_seed: bytes,
    device: bytes,
    inputs: Sequence[Values],
    tier: int = 0,
    command: Sequence[str] = (sys.executable, "-c", DEVICE_PROGRAM),
) -> tuple[Sampler, int]:
    """Return a sampler of one device's reports, made by a program of its own.

    `command` reads {"survey", "fingerprint", "seed", "device", "tier", "values", "count"} as JSON
    from its standard input and writes `count` reports to its standard output, each from a memo
    of its own if the survey has memory.
    """
    document = shipped.to_document()
    survey = DeviceSurvey(document, shipped.fingerprint)

    def sample(place: int, count: int) -> Outcomes:
        asked = {
            "survey": document, "fingerprint": shipped.fingerprint, "seed": round_seed.hex(),
            "device": device.hex(), "tier": tier, "values": dict(inputs[place]), "count": count,
        }  # fmt: skip
        done = subprocess.run(
            list(command), input=json.dumps(asked).encode(), capture_output=True, check=False
        )
        if done.returncode or len(done.stdout) != count * survey.report_layout.size:
            raise HarmonyError(f"the device program {command[0]!r} did not write {count} reports")
        return _symbols(done.stdout, survey, tier)

    return sample, len(inputs)


def _symbols(reports: bytes, survey: DeviceSurvey, tier: int) -> Outcomes:
    """Number the symbols of each report; those of several answers together."""
    rows = np.frombuffer(reports, np.uint8).reshape(-1, survey.report_layout.size)
    dtype = np.uint8 if survey.symbol_bytes == 1 else np.dtype("<u2")
    symbols = np.ascontiguousarray(rows[:, HEADER_BYTES:]).view(dtype).astype(np.int64)
    widest = max(mechanism.table.symbols for mechanism in survey.mechanisms[tier])
    if widest**survey.answers > 1 << 20:
        symbols = symbols[:, :1]  # too many combinations to count: attack the first answer alone
    powers = widest ** np.arange(symbols.shape[1])
    return np.asarray(symbols @ powers, np.int64)
