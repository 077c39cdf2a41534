"""A device as small as can be: it enrols, and reports what a test tells it to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harmony.service.ingest.blocks import LiveRound


@dataclass(frozen=True)
class Enrolled:
    """A device's id and credential."""

    device: bytes
    credential: str

    @classmethod
    def of(cls, response: Mapping[str, Any]) -> Enrolled:
        """Read the response to an enrolment."""
        return cls(bytes.fromhex(response["device"]), response["credential"])

    @property
    def headers(self) -> dict[str, str]:
        """The header that proves who this is."""
        return {"Authorization": f"Harmony {self.device.hex()}.{self.credential}"}


def any_report(live: LiveRound, device: bytes, tier: int = 0, symbol: int = 0) -> bytes:
    """Return a report with the same symbol in every response."""
    symbols = symbol.to_bytes(live.survey.symbol_bytes, "little") * live.survey.answers
    return device + bytes([tier]) + symbols


def report_body(label: str, report: bytes) -> dict[str, str]:
    """Return the JSON of one report."""
    return {"round": label, "report": report.hex()}
