"""What the tests of trainings share: a small training, and devices as small as can be."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import harmony as hm
from harmony.learn.trainer import Trainer
from harmony.learn.training import Training
from harmony.service.entries import StepEntry
from harmony.service.state import ServiceState
from harmony_device.report import ask, randomise
from harmony_device.step import Step

from .conftest import Service, recount
from .devices import Enrolled, report_body

SMALL = Training(
    "charging",
    epsilon=5.0,
    loss="logistic",
    label=hm.Boolean("charging"),
    features=[hm.Categorical("theme", ["light", "dark", "auto"]), hm.Boolean("wifi")],
    devices=3000,  # enough that there is something to learn, so that there are several steps
)
RECORD = {"charging": True, "theme": "dark", "wifi": False}


def create(service: Service, training: Training = SMALL, **options: Any) -> None:
    """Create a training over HTTP, as an admin does."""
    body = {"training": training.to_document(), **options}
    response = service.client.post("/v1/trainings", json=body, headers=service.admin)
    assert response.status_code == 201, response.text


def open_step(state: ServiceState, name: str = SMALL.name) -> StepEntry:
    """Return the step that takes reports."""
    step = state.trainings.training(name).open_step
    assert step is not None
    return step


def report_of(step: Step, device: bytes, record: Mapping[str, object] | None = None) -> bytes:
    """Return a device's report to a step, made by the SDK's own functions; half of them charge."""
    record = record or RECORD | {"charging": device[0] % 2 == 1}
    answers = step.read(record, os.urandom)
    asked = ask(step.survey, step.seed, device, 0)
    return randomise(step.survey, device, 0, answers, asked, os.urandom)


def task_of(service: Service, device: Enrolled, name: str = SMALL.name) -> Any:
    """Ask for a training's task."""
    return service.client.get(f"/v1/trainings/{name}/task", headers=device.headers)


def body_of(service: Service, device: Enrolled, name: str = SMALL.name) -> dict[str, str]:
    """Return the body of a report to the open step, whatever the pacing."""
    step = Step.from_json(open_step(service.state, name).document)
    return report_body(step.round, report_of(step, device.device))


def fill_step(service: Service, name: str = SMALL.name, reports: int | None = None) -> None:
    """Let as many devices report as the open step wants, and close it if that is enough."""
    step = open_step(service.state, name)
    read = Step.from_json(step.document)
    devices = [os.urandom(16) for _ in range(reports or step.wanted)]
    bodies = [report_body(read.round, report_of(read, one)) for one in devices]
    response = service.client.post(
        f"/v1/surveys/{name}/reports", json=bodies, headers=service.bearer("gateway")
    )
    assert response.json() == {"results": ["accepted"] * len(bodies)}
    service.state.trainings.advance()


def finish(service: Service, name: str = SMALL.name) -> None:
    """Fill step after step until the training ends."""
    while service.state.trainings.training(name).ended is None:
        fill_step(service, name)


def check_tallies(state: ServiceState, name: str = SMALL.name) -> list[int]:
    """Check that every step's tally is a recount, and that no device is in two; count reports."""
    from harmony.service.stores import open_store

    state.catalogue.reload()
    devices: list[bytes] = []
    counted = []
    store = open_store(state.database)
    for step in state.trainings.training(name).rounds.values():
        tally = state.catalogue.tally(step)
        assert tally == recount(state, step.live)
        counted.append(tally.reports)
        for reports in store.stored(step.live):
            devices += [report[:16].tobytes() for report in reports]
    store.close()
    assert len(devices) == len(set(devices)) == sum(counted)
    return counted


def relearnt(state: ServiceState, name: str = SMALL.name) -> Trainer:
    """Learn again from the tallies of the closed steps, as an offline training would."""
    state.catalogue.reload()
    entry = state.trainings.training(name)
    progress = state.trainings.progress(name)
    trainer = Trainer(progress.trainer.training)
    for step in entry.rounds.values():
        if step.closed is not None:
            trainer.learn(state.catalogue.tally(step))
    return trainer
