"""A device as small as can be: it enrols, answers with the survey's own tables, and reports."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import harmony as hm
from harmony.service.blocks import LiveRound
from harmony_device.coins import assign


@dataclass(frozen=True)
class Enrolled:
    """A device's id and credential."""

    device: bytes
    credential: str

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Enrolled:
        """Read the answer to an enrolment."""
        return cls(bytes.fromhex(answer["device"]), answer["credential"])

    @property
    def headers(self) -> dict[str, str]:
        """The header that proves who this is."""
        return {"Authorization": f"Harmony {self.device.hex()}.{self.credential}"}


def honest_report(
    survey: hm.Survey, seed: bytes, device: bytes, values: Mapping[str, Any], tier: int = 0
) -> bytes:
    """Answer as a device would: its coin, its code, its table, the system's randomness."""
    report = device + bytes([tier])
    asked = assign(seed, device, survey.weights, survey.rows(tier), survey.answers)
    for place, row in asked:
        attribute, mechanism = survey.attributes[place], survey.mechanisms[tier][place]
        value = values[attribute.name]
        if isinstance(attribute, hm.Numeric):
            points = mechanism.code.points
            position = (value - attribute.low) / (attribute.high - attribute.low) * (points - 1)
            left = min(int(position), points - 2)
            index = left + (_draw() < (position - left) * 2**53)
        else:
            index = mechanism.code.index(attribute.values.index(value), row)
        symbol = mechanism.table.walk(index, _draw())
        report += symbol.to_bytes(survey.symbol_bytes, "little")
    return report


def any_report(live: LiveRound, device: bytes, tier: int = 0, symbol: int = 0) -> bytes:
    """Return a report with the same symbol in every answer."""
    symbols = symbol.to_bytes(live.survey.symbol_bytes, "little") * live.survey.answers
    return device + bytes([tier]) + symbols


def report_body(label: str, report: bytes) -> dict[str, str]:
    """Return the JSON of one report."""
    return {"round": label, "report": report.hex()}


def _draw() -> int:
    return int.from_bytes(os.urandom(8), "little") >> 11
