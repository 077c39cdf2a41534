"""What the tests of explorations share: a small one, and devices as small as can be."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import harmony as hm
from harmony.exploration import Explorer
from harmony.service.state import ServiceState
from harmony_device.step import Step

from .conftest import Service
from .devices import report_body
from .training import open_step, report_of

WORDS = hm.Exploration(
    "words", hm.Text("word", bits=12, missing="none"), 6.0, devices=600, mistakes=1e-6
)
TEXTS: Sequence[Any] = ["the", "the", "the", "and", "and", None]


def create(service: Service, exploration: hm.Exploration = WORDS, **options: Any) -> None:
    """Create an exploration over HTTP, as an admin does."""
    body = {"exploration": exploration.to_document(), **options}
    response = service.client.post("/v1/explorations", json=body, headers=service.admin)
    assert response.status_code == 201, response.text


def fill_step(service: Service, name: str = WORDS.name) -> None:
    """Let as many devices report as the open step wants, and close it."""
    step = open_step(service.state, name)
    assert len(step.document) < 64_000
    read = Step.from_json(step.document)
    bodies = []
    for number in range(step.wanted):
        record = {"word": TEXTS[number % len(TEXTS)]}
        bodies.append(report_body(read.round, report_of(read, os.urandom(16), record)))
    response = service.client.post(
        f"/v1/surveys/{name}/reports", json=bodies, headers=service.bearer("gateway")
    )
    assert response.json() == {"results": ["accepted"] * len(bodies)}
    service.state.trainings.advance()


def finish(service: Service, name: str = WORDS.name) -> None:
    """Fill step after step until the exploration ends."""
    while service.state.trainings.training(name).ended is None:
        fill_step(service, name)


def explored_again(state: ServiceState, name: str = WORDS.name) -> Explorer:
    """Learn again from the tallies of the closed steps, as an offline exploration would."""
    state.catalogue.reload()
    explorer = Explorer(state.trainings.progress(name).explorer.exploration)
    for step in state.trainings.training(name).rounds.values():
        if step.closed is not None:
            explorer.learn(state.catalogue.tally(step))
    return explorer
