"""The demonstration: a fleet reports to a real server over HTTP; estimates stand beside the truth.

The phones are invented, so that the truth is known.  Some report one by one with the device SDK,
the rest in batches through a gateway; every report is randomised as real devices would.
"""

from __future__ import annotations

import math
import secrets
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

from ..errors import HarmonyError
from ..mechanisms.audit import Audit, audit
from ..rounds import Round
from ..survey import Survey
from .fleet import fleet_survey, fleet_truth, phones_between, simulate_fleet
from .live_training import LiveTraining, TrainingResult, training_of
from .phones import first_phone, ledger_of, phones_folder, visit_all
from .revealed import RevealedAnswer, read_report
from .server import DemoServer

MOST_DEVICES = 20_000_000
MOST_SINGLES = 2_000
BATCH = 10_000
TRAINED_SINGLY = 100
"""Phones that take part in the training by themselves; the others through the gateway."""

RESENT, SECOND_TRIES = 200, 20
"""Phones behind the gateway that send their report again, and those that try another."""

LABEL = "now"
VISITORS = "you"
"""The fleet's round, and the one that people take part in afterwards."""


@dataclass
class ReportCounts:
    """What became of the reports so far."""

    devices: int
    reported: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)

    @property
    def refused(self) -> int:
        """Reports that were neither accepted nor sent again."""
        return self.outcomes.total() - self.outcomes["accepted"] - self.outcomes["duplicate"]


Watch = Callable[[ReportCounts], None]


@dataclass(frozen=True)
class Invitation:
    """The pages that a visitor may open while the server stays up."""

    dashboard: str
    be_a_device: str
    public: str


@dataclass(frozen=True)
class DemoResult:
    """A finished demonstration: estimates beside the truth, one phone's report, the audit."""

    survey: Survey
    devices: int
    singles: int
    rows: list[dict[str, Any]]
    outcomes: dict[str, int]
    ledger: list[str]
    answers: list[RevealedAnswer]
    audit: Audit
    training: TrainingResult | None
    seconds: dict[str, float]

    @property
    def missed(self) -> int:
        """How many of the intervals do not hold the truth."""
        return sum(not row["covers"] for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        return {
            "survey": self.survey.definition(),
            "devices": self.devices,
            "singles": self.singles,
            "outcomes": self.outcomes,
            "audit": self.audit.to_dict(),
            "one_device": {"ledger": self.ledger, "answers": [vars(one) for one in self.answers]},
            "estimates": self.rows,
            "intervals": len(self.rows),
            "missed": self.missed,
            "training": self.training and self.training.to_dict(),
            "seconds": self.seconds,
        }


class Demonstration:
    """A server with a survey, and a fleet that answers it: enter, collect, conclude."""

    def __init__(self, devices: int, epsilon: float, seed: int | None = None) -> None:
        if not 1 <= devices <= MOST_DEVICES:
            raise HarmonyError(f"'devices' must lie between 1 and {MOST_DEVICES:,}")
        self.devices = devices
        self.singles = min(devices, max(100, min(MOST_SINGLES, devices // 20)))
        self.seconds: dict[str, float] = {}
        self._seed = secrets.randbits(63) if seed is None else seed
        with self._timed("design"):
            self.survey = fleet_survey(epsilon)
        self.counts = ReportCounts(devices)
        self._training: TrainingResult | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="harmony-demo-")
        self._phones_folder = phones_folder()

    def __enter__(self) -> Self:
        try:
            with self._timed("start"):
                self._fleet = simulate_fleet(self.devices, self._seed)
                self.server = DemoServer(Path(self._folder.name))
                self.server.call("POST", "/v1/surveys?public=true", self.survey.to_document())
                opened = self.server.call("POST", f"{self._api}/rounds", {"label": LABEL})
                self._round = Round(LABEL, bytes.fromhex(opened["seed"]))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if hasattr(self, "server"):
            self.server.stop()
        self._folder.cleanup()
        self._phones_folder.cleanup()

    @property
    def _phones(self) -> Path:
        return Path(self._phones_folder.name)

    @property
    def _api(self) -> str:
        return f"/v1/surveys/{self.survey.name}"

    def link(self, label: str = "") -> str:
        """Return a link that opens the dashboard, once, on the survey's page or a round of it."""
        link = self.server.call("POST", "/v1/sign-in-links")["link"]
        page = f"/surveys/{self.survey.name}" + (f"?round={label}" if label else "")
        return f"{link}&next={quote(page)}"

    def invite(self) -> Invitation:
        """Close the fleet's round, open one for visitors, and return what there is to see."""
        self.server.call("POST", f"{self._api}/rounds/{LABEL}/close")
        self.server.call("POST", f"{self._api}/rounds", {"label": VISITORS})
        return Invitation(
            self.link(LABEL),
            f"{self.server.url}/be-a-device/{self.survey.name}",
            f"{self.server.url}/about/{self.survey.name}",
        )

    def collect(self, watch: Watch = lambda counts: None) -> None:
        """Let the whole fleet report; `watch` is called with the progress."""
        with self._timed("collect"):
            self._collect_singly(watch)
            self._collect_in_batches(watch)

    def _collect_singly(self, watch: Watch) -> None:
        epsilon = self.survey.epsilon
        self._report = first_phone(self.server.url, self._phones, self._fleet, epsilon)
        self._count({"accepted": 1}, 1, watch)
        rest = range(1, self.singles)
        for accepted in visit_all(self.server.url, self._phones, self._fleet, rest, epsilon):
            self._count({"accepted" if accepted else "waiting": 1}, 1, watch)

    def _collect_in_batches(self, watch: Watch) -> None:
        token = {"name": "gateway", "role": "gateway"}
        self._gateway = self.server.call("POST", "/v1/tokens", token)["token"]
        first = self.singles
        for start in range(first, self.devices, BATCH):
            self._send(start, min(start + BATCH, self.devices), watch)
        behind = self.devices - first
        if behind >= RESENT:  # some lose the response and send again; a few try another report
            self._send(first, first + RESENT, watch, again=True)
            self._send(first, first + SECOND_TRIES, watch, again=True, seed=self._seed + 1)

    def _send(
        self, start: int, stop: int, watch: Watch, *, again: bool = False, seed: int | None = None
    ) -> None:
        """Randomise the reports of some phones, and send them to the server in one request."""
        from ..service.ingest.packed import pack_table

        reports = self.survey.randomize(
            phones_between(self._fleet, start, stop),
            self._seed + 2 if seed is None else seed,
            round=self._round,
            first=start,
        )
        response = self._post(self.survey.name, pack_table(self.survey, LABEL, reports))
        outcomes = {"accepted": response["accepted"], "duplicate": response["duplicate"]}
        self._count(outcomes | response["refused"], 0 if again else stop - start, watch)

    def _post(self, name: str, packed: bytes) -> dict[str, Any]:
        path, token = f"/v1/surveys/{name}/reports", self._gateway
        response: dict[str, Any] = self.server.call("POST", path, token=token, packed=packed)
        return response

    def learn(self, watch: Callable[[dict[str, Any]], None] = lambda progress: None) -> None:
        """Train a model on the whole fleet; `watch` is called with the progress."""
        from ..service.ingest.packed import pack_table

        epsilon = self.survey.epsilon
        with self._timed("train"):
            training = training_of(self.devices, epsilon)
            live = LiveTraining(self.server, training, self._fleet, self._seed)
            singly = range(min(self.singles, TRAINED_SINGLY))
            url = self.server.url
            deque(visit_all(url, self._phones, self._fleet, singly, epsilon, patience=0.0), 0)
            watch(live.progress())
            self._training = live.run(
                len(singly),
                lambda survey, label, reports: self._post(
                    training.name, pack_table(survey, label, reports)
                ),
                watch,
            )

    def _count(self, outcomes: dict[str, int], devices: int, watch: Watch) -> None:
        self.counts.outcomes.update(outcomes)
        self.counts.reported += devices
        watch(self.counts)

    def conclude(self) -> DemoResult:
        """Ask the server for its estimates, and hold them to the truth."""
        with self._timed("estimate"):
            found = self.server.call("GET", f"{self._api}/rounds/{LABEL}/estimates")
        return DemoResult(
            self.survey,
            self.devices,
            self.singles,
            list(self._beside_truth(found["estimates"])),
            {name: count for name, count in self.counts.outcomes.items() if count},
            ledger_of(self.server.url, self._phones, self.survey.epsilon),
            read_report(self.survey, self._round, self._report),
            audit(self.survey),
            self._training,
            self.seconds,
        )

    def _beside_truth(self, rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        truths = {one.name: fleet_truth(one, self._fleet[one.name]) for one in self.survey.readings}
        for row in rows:
            true = truths[row["attribute"]][row["value"]]
            low, high = row["low"], row["high"]  # none if nobody answered: no claim, no miss
            missed = low is not None and not low <= true <= high
            yield row | {"truth": true, "covers": not missed}

    @contextmanager
    def _timed(self, step: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.seconds[step] = round(time.perf_counter() - started, 3)


def finite(number: float | None) -> float:
    """Return a number of the API, in which what is unknown is null."""
    return math.nan if number is None else number
