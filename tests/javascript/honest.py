"""What must hold after any crash: one report for a round at most, and none without a charge.

In a survey with memory, one memo for an identity as well.
"""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any

from tests.device.conftest import small_survey
from tests.device.fake_server import Answer, FakeServer
from tests.device.over_time import check_memos, remembering_survey

CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST, DELETE",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Harmony-Protocol",
}


class Rounds(FakeServer):
    """Opens another round now and then, loses some replies, and may be asked by any web page."""

    def __init__(
        self, seed: int, *, opening: float = 0.5, losing: float = 0.1, remembers: bool = False
    ) -> None:
        super().__init__(remembering_survey() if remembers else small_survey())
        self.remembers = remembers
        self._rng = random.Random(seed)
        self._choosing = threading.Lock()
        self._chances = opening, losing
        self.opened = 1

    def handle(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> Answer | None:
        if method == "OPTIONS":
            return 204, CORS, b""
        opening, losing = self._chances
        with self._choosing:
            if path == "/v1/surveys" and self._rng.random() < opening:
                self.opened += 1
                self.open_round("small", str(self.opened))
            lost = self._rng.random() < losing
        named = {name.title(): value for name, value in headers.items()}
        answer = super().handle(method, path, named, body)
        if answer is None or lost:
            return None
        status, sent, content = answer
        return status, {**sent, **CORS}, content


def check_honest(server: Rounds, lines: list[dict[str, Any]]) -> Counter[str]:
    """Compare what a server saw with the lines of one device's ledger, and count."""
    charged = Counter(line["round"] for line in lines if line["event"] == "answered")
    assert set(charged.values()) <= {1}, "a round was charged twice"
    reports: dict[str, set[str]] = {}
    for _, label, report in server.seen:
        reports.setdefault(label, set()).add(report)
    assert all(len(one) == 1 for one in reports.values()), "two reports for a round"
    assert reports.keys() <= charged.keys(), "a report without a charge"
    if server.remembers:
        check_memos(server.seen, lines)
    return Counter(
        {"charged": len(charged), "seen": len(reports), "lost": len(charged) - len(reports)}
    )
