"""The training of the demonstration: predict system errors from battery, memory and app use.

The phones that report singly take part through the SDK; the others through a gateway, which asks
the server for the open step, as any device does, and brings the reports of as many as it wants.
"""

from __future__ import annotations

import json
import math
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..attributes import Boolean, Numeric, attribute_from_document
from ..errors import HarmonyError
from ..learn.derive import derive_columns
from ..learn.model import Model
from ..learn.records import Records
from ..learn.score import Score
from ..learn.step import Question, Step
from ..learn.training import Training
from ..rounds import Round
from ..survey import Survey
from .fleet import Fleet, simulate_fleet

NAME = "system-errors"
LABEL = Boolean("system error")
FEATURES = (
    Numeric("battery use", 0, 100),
    Numeric("memory use", 0, 100),
    Numeric("app use", 0, 12),
)
HELD_OUT = 20_000
STEP_SECONDS = 60.0
POLL_SECONDS = 0.1
NEWTON_STEPS = 20


class Caller(Protocol):
    """A server's address, and its API as an admin calls it."""

    @property
    def url(self) -> str: ...

    def call(self, method: str, path: str, body: Any = None) -> Any: ...


SendReports = Callable[[Survey, str, Any], object]
"""Sends reports (as `Survey.randomize` gives them) to a round, by its label."""


@dataclass(frozen=True)
class TrainingResult:
    """What came of the training, on phones that took no part."""

    model: dict[str, Any]
    steps: int
    devices: int
    accuracy: float
    majority: float
    without_privacy: float
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        return vars(self)


def training_of(devices: int, epsilon: float) -> Training:
    """Return what is to be learnt."""
    return Training(NAME, epsilon, "logistic", LABEL, FEATURES, devices)


class LiveTraining:
    """The training on a server, followed from its first step to its last."""

    def __init__(self, server: Caller, training: Training, fleet: Fleet, seed: int) -> None:
        self._server = server
        self.training = training
        self._records = Records(fleet, training.features, training.label)
        self._random = np.random.default_rng(seed)
        self._seed = seed
        body = {"training": training.to_document(), "step_seconds": STEP_SECONDS}
        server.call("POST", "/v1/trainings", body)
        device = server.call("POST", "/v1/devices", {})
        self._authorization = f"Harmony {device['device']}.{device['credential']}"
        self._started = time.perf_counter()

    def progress(self) -> dict[str, Any]:
        """Return where the training is."""
        found: dict[str, Any] = self._server.call("GET", f"/v1/trainings/{NAME}")
        return found

    def run(
        self, first: int, send: SendReports, watch: Callable[[dict[str, Any]], None]
    ) -> TrainingResult:
        """Let phones from number `first` on answer step after step, until the model is there."""
        now = self.progress()
        while now["state"] == "running":
            step = now["steps"][-1]
            lacking = step["wanted"] - step["reports"]
            last = min(first + max(lacking, 0), self._records.devices)
            if last > first:
                self._answer(step["number"], first, last, send)
                first = last
            now = self._after(step["number"])
            watch(now)
        return self._result(now)

    def _answer(self, number: int, first: int, last: int, send: SendReports) -> None:
        document = self._task()
        if document.get("step") != number:
            return
        step, survey = _step(self.training, document), Survey.from_document(document["survey"])
        columns = derive_columns(
            step, self._records, first, last, self._random.random(last - first)
        )
        opened = document["round"]
        round = Round(opened["label"], bytes.fromhex(opened["seed"]))
        reports = survey.randomize(
            columns, self._seed + number, round=round, first=first, as_devices=True
        )
        send(survey, round.label, reports)

    def _task(self) -> Any:
        """Ask for the open step, as a device."""
        request = urllib.request.Request(
            f"{self._server.url}/v1/trainings/{NAME}/task",
            headers={"Authorization": self._authorization},
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.loads(response.read() or b"{}")  # nothing, if enough devices are at it

    def _after(self, number: int) -> dict[str, Any]:
        """Wait until the server has learnt from a step, and return where it is then."""
        deadline = time.monotonic() + 2 * STEP_SECONDS
        while time.monotonic() < deadline:
            now = self.progress()
            if now["state"] != "running" or now["steps"][-1]["number"] != number:
                return now
            time.sleep(POLL_SECONDS)  # the server looks at its steps once a second
        raise HarmonyError(f"the training is stuck in step {number}")

    def _result(self, now: dict[str, Any]) -> TrainingResult:
        held_out = simulate_fleet(HELD_OUT, self._seed + 1)
        truth = held_out[LABEL.name]
        right = float(np.mean(Model.from_document(now["model"]).predict(held_out) == truth))
        share = float(np.mean(truth))
        return TrainingResult(
            now["model"]["model"],
            len(now["steps"]),
            now["devices"],
            right,
            max(share, 1 - share),
            self._without_privacy(held_out),
            round(time.perf_counter() - self._started, 3),
        )

    def _without_privacy(self, held_out: Fleet) -> float:
        """Return the accuracy of the same model, fitted to everybody's data."""
        weights = _newton(*_matrix(self._records, self._records.devices))
        features, labels = _matrix(Records(held_out, FEATURES, LABEL), HELD_OUT)
        return float(np.mean((features @ weights > 0) == labels))


def _step(training: Training, document: dict[str, Any]) -> Step:
    """Read a step as devices get it, for many phones at once."""
    questions = tuple(
        Question(attribute_from_document(one, "step"), document["derive"][one["name"]])
        for one in document["survey"]["attributes"]
    )
    direction = document.get("direction")
    return Step(
        training,
        document["step"],
        "",
        questions,
        0,
        Score.from_document(document["model"], training.features),
        Score.from_document(direction, training.features) if direction else None,
    )


def _matrix(records: Records, count: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    columns = [np.ones(count)]
    columns += [records.numbers(place, 0, count) for place in range(len(FEATURES))]
    return np.stack(columns, axis=1), records.labels(0, count) > 0


def _newton(features: NDArray[np.float64], labels: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Fit logistic regression by Newton's method."""
    weights = np.zeros(features.shape[1])
    for _ in range(NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-features @ weights))
        curvature = (features * (chance * (1 - chance))[:, None]).T @ features
        move = np.linalg.solve(curvature, features.T @ (labels - chance))
        weights += move
        if math.sqrt(float(move @ move)) < 1e-8:
            break
    return weights
