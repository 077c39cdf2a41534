"""Arrivals: what becomes of the reports to trainings that pass through this server.

Reports that are accepted are counted by their tally; these counts are for pacing the devices and
for showing how many came too late.
"""

from __future__ import annotations

import threading
from collections import Counter

from ..ingest import outcomes as outcome
from ..ingest.blocks import LiveRound
from ..ingest.outcomes import Outcomes


class Arrivals:
    """Counts by training, and accepted reports by step."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._accepted: Counter[int] = Counter()
        self._late: Counter[int] = Counter()
        self._refused: Counter[int] = Counter()

    def count(self, live: LiveRound, outcomes: Outcomes) -> None:
        """Count the outcomes of reports to a step."""
        if live.training is None:
            return
        of = [int((outcomes == one).sum()) for one in range(len(outcome.NAMES))]
        with self._lock:
            self._accepted[live.id] += of[outcome.ACCEPTED]
            self._late[live.training] += of[outcome.CLOSED]
            self._refused[live.training] += sum(
                of[one] for one in (outcome.CONFLICT, outcome.MALFORMED, outcome.UNAUTHORIZED)
            )

    def count_late(self, training: int, reports: int = 1) -> None:
        """Count reports to a step that is known to be closed."""
        with self._lock:
            self._late[training] += reports

    def accepted(self, round_id: int) -> int:
        """Return how many reports to this step came through this server."""
        return self._accepted[round_id]

    def take(self) -> dict[int, tuple[int, int]]:
        """Return late and refused reports by training, and count from zero again."""
        with self._lock:
            late, self._late = self._late, Counter()
            refused, self._refused = self._refused, Counter()
        return {one: (late[one], refused[one]) for one in +late | +refused}
