"""A training of three classes over HTTP, from a server that is killed in between."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import harmony as hm
from harmony.learn import Model, Training
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from harmony_device import Step

from .devices import report_body
from .server_process import Connection, ServerProcess
from .training import check_tallies, relearnt, report_of
from .waiting import wait_until

KINDS = ["car", "bike", "train"]
TRAINING = Training(
    "travel",
    epsilon=6.0,
    loss="logistic",
    label=hm.Categorical("travel", KINDS),
    features=[hm.Categorical("home", ["town", "city", "farm"])],
    devices=4500,
)


def records() -> Iterator[dict[str, object]]:
    """Yield people without end: six of ten travel as their neighbours do."""
    random = np.random.default_rng(5)
    while True:
        home = int(random.integers(3))
        kind = home if random.random() < 0.6 else int(random.integers(3))
        yield {"home": TRAINING.features[0].values[home], "travel": KINDS[kind]}


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_three_classes_are_learned_from_devices_and_kills_change_nothing(
    place: str, tmp_path: Path
) -> None:
    state = ServiceState(Settings.load(database=place))
    state.trainings.create(TRAINING.to_document(), step_seconds=3600.0, least=None)
    gateway = {"Authorization": f"Bearer {state.tokens.create('gateway', 'gateway')[0]}"}
    people = records()
    with ServerProcess(place, tmp_path / "server.log") as server:
        connection = Connection(server.port)
        while (step := state.trainings.training("travel").open_step) is not None:
            read, number = Step.from_json(step.document), step.number
            bodies = [
                report_body(read.round, report_of(read, os.urandom(16), next(people)))
                for _ in range(step.wanted)
            ]
            path = "/v1/surveys/travel/reports"
            accepted = {"results": ["accepted"] * len(bodies)}
            assert connection.request("POST", path, bodies, gateway) == (200, accepted)
            if number in (12, 30):
                server.kill()
                server.start()
                connection = Connection(server.port)
            wait_until(lambda number=number: has_moved_on(state, number), "the next step")
        assert server.stop() == 0
    assert sum(check_tallies(state, "travel")) == TRAINING.devices
    progress = state.trainings.progress("travel")
    labels = {row["class"] for row in progress.trainer.history}
    assert labels == set(KINDS)
    model = progress.trainer.model
    assert relearnt(state, "travel").model.to_document() == model.to_document()
    read_back = Model.from_document(model.to_document())
    homes = {"home": ["town", "city", "farm"]}
    # Each is ten standard errors or more from the others: no false alarm is expected.
    assert read_back.predict(homes).tolist() == KINDS
    np.testing.assert_allclose(model.chances(homes).sum(axis=1), 1.0)
    state.database.close()


def has_moved_on(state: ServiceState, number: int) -> bool:
    state.catalogue.reload()
    step = state.trainings.training("travel").open_step
    return step is None or step.number != number
