"""A real server and 500 JVM devices: a round and a training, every device heard once."""

from __future__ import annotations

import json
from pathlib import Path

import harmony as hm
from harmony.learn.training import Training
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from tests.service.conftest import recount
from tests.service.server_process import Connection, ServerProcess
from tests.service.training import check_tallies

from . import sdk

DEVICES = 500
THEMES = ("light", "dark", "auto")
EPSILON = 4.0
TRAINING = Training(
    "charging",
    epsilon=1.0,
    loss="logistic",
    label=hm.Boolean("charging"),
    features=[hm.Categorical("theme", THEMES), hm.Boolean("wifi")],
    devices=400,
)


def values_of(number: int) -> dict[str, float | str | bool]:
    return {
        "battery": float(number * 37 % 101), "theme": THEMES[min(number % 5, 2)],
        "wifi": number % 3 == 0, "charging": number % 4 == 0,
    }  # fmt: skip


def test_five_hundred_jvm_devices_are_each_heard_once(tmp_path: Path, quick_folder: Path) -> None:
    survey = hm.Survey(
        "phones", [hm.Numeric("battery", 0, 100), hm.Categorical("theme", THEMES)], epsilon=EPSILON
    )
    place = f"sqlite:///{quick_folder / 'harmony.sqlite'}"
    state = ServiceState(Settings.load(database=place))
    admin = {"Authorization": f"Bearer {state.tokens.create('test', 'admin')[0]}"}
    path = "/v1/surveys/phones/rounds"
    lines = "\n".join(json.dumps(values_of(number)) for number in range(DEVICES))
    with ServerProcess(place, tmp_path / "server.log") as server:
        operator = Connection(server.port)
        assert operator.request("POST", "/v1/surveys", survey.definition(), admin)[0] == 201
        assert operator.request("POST", path, {"label": "week1"}, admin)[0] == 201
        training = {"training": TRAINING.to_document(), "step_seconds": 60}
        assert operator.request("POST", "/v1/trainings", training, admin)[0] == 201
        told = sdk.run(
            "Fleet", f"http://127.0.0.1:{server.port}", quick_folder, EPSILON + TRAINING.epsilon,
            "battery=NUMBER", "theme=TEXT", "wifi=BOOLEAN", "charging=BOOLEAN",
            standard_input=lines,
        )  # fmt: skip
        fleet = [json.loads(line) for line in told.splitlines()]
        status, found = Connection(server.port).request(
            "GET", f"{path}/week1/estimates?confidence=0.9999", None, admin
        )
        assert status == 200
        assert server.stop() == 0
    assert len({one["device"] for one in fleet}) == DEVICES
    for one in fleet:
        assert one["accepted"].count("phones week1") == 1, one["visit"]
        assert len([entry for entry in one["ledger"] if " phones week1: " in entry]) == 1
    assert found["reports"] == DEVICES
    people = [values_of(number) for number in range(DEVICES)]
    truth = {("battery", None): sum(float(one["battery"]) for one in people) / DEVICES}
    for theme in THEMES:
        truth["theme", theme] = sum(one["theme"] == theme for one in people) / DEVICES
    # Four intervals at 99.99%: a false alarm in about 1 of 2,500 runs.
    for row in found["estimates"]:
        assert row["low"] <= truth[row["attribute"], row["value"]] <= row["high"]
    listed = state.catalogue.round("phones", "week1")
    assert recount(state, listed.live) == state.catalogue.tally(listed)
    took_part = sum(
        any(one.startswith(f"{TRAINING.name} ") for one in device["accepted"]) for device in fleet
    )
    assert took_part == sum(check_tallies(state, TRAINING.name)) > DEVICES // 4
    state.database.close()
