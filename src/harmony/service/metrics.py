"""What Prometheus may know: reports by outcome, commits, the queue.  Never a device.

Workers of one server share a folder, from which each shows the sum of all.
"""

from __future__ import annotations

import os
import threading
from collections import Counter as Count
from collections.abc import Callable, Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from .ingest.blocks import Block
from .ingest.outcomes import Outcomes, by_name
from .training.arrivals import Arrivals

SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Where the environment names the workers' folder; prometheus-client looks for it when imported."""

COMMIT_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
COMMIT_REPORTS = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536)


class Metrics:
    """The metrics of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.reports = Counter(
            "harmony_reports", "Reports by outcome", ["outcome"], registry=self.registry
        )
        self.refused = Counter(
            "harmony_refused_requests",
            "Requests refused before a commit, by reason",
            ["reason"],
            registry=self.registry,
        )
        self.failed_commits = Counter(
            "harmony_failed_commits", "Commits that the database refused", registry=self.registry
        )
        self.commit_seconds = Histogram(
            "harmony_commit_seconds",
            "Time to commit a batch",
            buckets=COMMIT_SECONDS,
            registry=self.registry,
        )
        self.commit_reports = Histogram(
            "harmony_commit_reports",
            "Reports in a commit",
            buckets=COMMIT_REPORTS,
            registry=self.registry,
        )
        self.queue_depth = Gauge(
            "harmony_queue_reports",
            "Reports that wait for their commit",
            registry=self.registry,
            multiprocess_mode="livesum",
        )
        self.waiting: Callable[[], int] = lambda: 0
        """How many reports wait; set by the writer."""
        self.connections = Gauge(
            "harmony_connections",
            "Open connections",
            registry=self.registry,
            multiprocess_mode="livesum",
        )
        self.connected: Callable[[], int] = lambda: 0
        """How many connections are open; set by their limits."""
        self.dropped_connections = Counter(
            "harmony_dropped_connections",
            "Connections that the server ended, by what it waited for",
            ["reason"],
            registry=self.registry,
        )
        self.arrivals = Arrivals()
        self._outcomes: dict[str, Count[str]] = {}
        self._lock = threading.Lock()
        self.enrolled = Counter("harmony_enrolments", "Devices enrolled", registry=self.registry)
        self.forgotten = Counter("harmony_forgotten", "Devices forgotten", registry=self.registry)

    def committed(
        self, blocks: Sequence[Block], outcomes: Sequence[Outcomes], seconds: float
    ) -> None:
        """Count one commit."""
        self.queue_depth.set(self.waiting())
        self.commit_seconds.observe(seconds)
        self.commit_reports.observe(sum(len(block.reports) for block in blocks))
        for block, block_outcomes in zip(blocks, outcomes, strict=True):
            self.arrivals.count(block.round, block_outcomes)
            counted = by_name(block_outcomes)
            for name, count in counted.items():
                self.reports.labels(name).inc(count)
            self._add(block.round.survey.name, counted)

    def refuse(self, reason: str, survey: str | None) -> None:
        """Count a request that was refused before a commit; its survey, if there is such."""
        self.refused.labels(reason).inc()
        if survey is not None:
            self._add(survey, {reason: 1})

    def dropped(self, reason: str) -> None:
        """Count a connection that the server ended, or had no room for."""
        self.dropped_connections.labels(reason).inc()

    def outcomes(self, survey: str) -> dict[str, int]:
        """Return what became of a survey's reports since this server started."""
        with self._lock:
            return dict(self._outcomes.get(survey, {}))

    def failures(self) -> int:
        """Return how many commits failed since this server process started."""
        return int(self.registry.get_sample_value("harmony_failed_commits_total") or 0)

    def _add(self, survey: str, counted: dict[str, int]) -> None:
        with self._lock:
            self._outcomes.setdefault(survey, Count()).update(counted)

    def page(self) -> bytes:
        """Return the metrics as Prometheus reads them."""
        self.queue_depth.set(self.waiting())
        self.connections.set(self.connected())
        if SHARED_FOLDER not in os.environ:
            return generate_latest(self.registry)
        shared = CollectorRegistry()
        MultiProcessCollector(shared)  # type: ignore[no-untyped-call]  # untyped there
        return generate_latest(shared)


def forget_worker(process: int) -> None:
    """Leave out the queue of a worker that has ended."""
    mark_process_dead(process)  # type: ignore[no-untyped-call]  # untyped there
