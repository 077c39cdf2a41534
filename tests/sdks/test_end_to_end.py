"""Devices in every language at one real server: a round and a training, each device heard once.

HARMONY_FLEET is how many devices there are of each kind.  A kind whose language is not installed
is left out with a warning; where NEEDS_JAVA or NEEDS_NODE is set, that is a failure.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import harmony as hm
from harmony.learn.training import Training
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from harmony_device import Device
from tests.browser.chromium import MISSING, find_chromium, launched
from tests.device.fake_server import serving
from tests.java import sdk as java
from tests.javascript import sdk as javascript
from tests.javascript.pages import Pages, opened
from tests.service.conftest import memory_folder, recount
from tests.service.server_process import Connection, ServerProcess, free_port
from tests.service.training import check_tallies

__all__ = ["memory_folder"]

pytestmark = pytest.mark.timeout(1800)

DEVICES = int(os.environ.get("HARMONY_FLEET", "30"))
"""Of each kind."""
THEMES = ("light", "dark", "auto")
EPSILON = 4.0
TRAINING = Training(
    "themes",  # of three classes, each of which has steps of its own, however few devices there are
    epsilon=4.0,
    loss="logistic",
    label=hm.Categorical("theme", THEMES),
    features=[hm.Boolean("charging"), hm.Boolean("wifi")],
    devices=3 * DEVICES,
)
SPENT = EPSILON + TRAINING.epsilon
IN_A_PAGE = """async ([server, epsilon, values]) => {
    const from = (path) => import(`/device/javascript/${path}`);
    const { Device, IndexedDbStore } = await from("src/index.js");
    const { takePart } = await from("tests/support/take_part.mjs");
    Date.now = realNow;
    return takePart(Device, server, epsilon, new IndexedDbStore(), values);
}"""


@dataclass(frozen=True)
class Participant:
    """What a device says of itself: its id, the surveys that accepted it, its ledger's entries."""

    device: str
    accepted: list[str]
    entries: list[tuple[str, str]]


def values_of(number: int) -> dict[str, float | str | bool]:
    return {
        "battery": float(number * 37 % 101), "theme": THEMES[min(number % 5, 2)],
        "wifi": number % 3 == 0, "charging": number % 4 == 0,
    }  # fmt: skip


PEOPLE = [values_of(number) for number in range(DEVICES)]
LINES = "\n".join(map(json.dumps, PEOPLE))


def in_python(server: str, folder: Path, page: str) -> Iterator[Participant]:
    record = {"battery": float, "theme": str, "wifi": bool, "charging": bool}
    for number, values in enumerate(PEOPLE):
        place = folder / f"python-{number}"
        with Device(server, place, record=record, consent=True, epsilon_limit=SPENT) as device:
            visits = [device.answer(values), device.answer(values)]
            yield Participant(
                str(device.status()["device"]),
                [name for visit in visits for name, _ in visit.accepted],
                [(entry.survey, entry.round) for entry in device.ledger()],
            )


def in_node(server: str, folder: Path, page: str) -> Iterator[Participant]:
    for line in javascript.run("fleet", server, SPENT, standard_input=LINES).splitlines():
        yield _from_javascript(json.loads(line))


def in_chromium(server: str, folder: Path, page: str) -> Iterator[Participant]:
    path = find_chromium()
    if path is None:
        raise javascript.NoNodeError(MISSING)
    with launched(path) as browser:
        for values in PEOPLE:
            context = browser.new_context()
            tab = opened(context, page)
            yield _from_javascript(tab.evaluate(IN_A_PAGE, [server, SPENT, values]))
            context.close()


def _from_javascript(told: dict[str, Any]) -> Participant:
    assert told["troubles"] == [None, None]
    entries = [(survey, round) for survey, round, _ in told["ledger"]]
    return Participant(told["device"], told["accepted"], entries)


def in_java(server: str, folder: Path, page: str) -> Iterator[Participant]:
    java.build()
    record = ("battery=NUMBER", "theme=TEXT", "wifi=BOOLEAN", "charging=BOOLEAN")
    told = java.run("Fleet", server, folder, SPENT, *record, standard_input=LINES, seconds=900)
    for line in told.splitlines():
        one = json.loads(line)
        entries = [entry.split(": ")[0].split()[1:] for entry in one["ledger"]]
        yield Participant(
            one["device"],
            [name.split()[0] for name in one["accepted"]],
            [(survey, round) for survey, round in entries],
        )


Fleet = Callable[[str, Path, str], Iterator[Participant]]
FLEETS: dict[Fleet, str] = {
    in_python: "",
    in_node: "NEEDS_NODE",
    in_chromium: "NEEDS_NODE",
    in_java: "NEEDS_JAVA",
}


def all_that_can(server: str, folder: Path, page: str) -> list[Participant]:
    """Let every fleet visit whose language is here."""
    found: list[Participant] = []
    for fleet, needed in FLEETS.items():
        try:
            found += fleet(server, folder, page)
        except (javascript.NoNodeError, java.NoJavaError) as missing:
            if os.environ.get(needed):
                raise
            warnings.warn(f"{fleet.__name__}: {missing}", stacklevel=1)
    return found


def test_devices_of_every_kind_are_each_heard_once(memory_folder: Path, tmp_path: Path) -> None:
    survey = hm.Survey(
        "phones", [hm.Numeric("battery", 0, 100), hm.Categorical("theme", THEMES)], epsilon=EPSILON
    )
    place = f"sqlite:///{memory_folder / 'harmony.sqlite'}"
    state = ServiceState(Settings.load(database=place))
    admin = {"Authorization": f"Bearer {state.tokens.create('test', 'admin')[0]}"}
    path, log = "/v1/surveys/phones/rounds", tmp_path / "server.log"
    with (
        serving(Pages(0)) as page,
        ServerProcess(place, log, free_port(), cors_origins=[page]) as server,
    ):
        operator = Connection(server.port)
        assert operator.request("POST", "/v1/surveys", survey.definition(), admin)[0] == 201
        assert operator.request("POST", path, {"label": "week1"}, admin)[0] == 201
        training = {"training": TRAINING.to_document(), "step_seconds": 600}
        assert operator.request("POST", "/v1/trainings", training, admin)[0] == 201
        fleet = all_that_can(f"http://127.0.0.1:{server.port}", memory_folder, page)
        status, found = Connection(server.port).request(
            "GET", f"{path}/week1/estimates?confidence=0.9999", None, admin
        )
        assert status == 200
        assert server.stop() == 0
    assert len({one.device for one in fleet}) == len(fleet) == found["reports"]
    for one in fleet:
        assert one.accepted.count("phones") == 1
        assert one.entries.count(("phones", "week1")) == 1
    truth = {("battery", None): sum(float(one["battery"]) for one in PEOPLE) / DEVICES}
    for theme in THEMES:
        truth["theme", theme] = sum(one["theme"] == theme for one in PEOPLE) / DEVICES
    # Four intervals at 99.99%: a false alarm in about 1 of 2,500 runs.
    for row in found["estimates"]:
        assert row["low"] <= truth[row["attribute"], row["value"]] <= row["high"]
    listed = state.catalogue.round("phones", "week1")
    assert recount(state, listed.live) == state.catalogue.tally(listed)
    took_part = sum(TRAINING.name in one.accepted for one in fleet)
    steps = check_tallies(state, TRAINING.name)
    assert took_part == sum(steps) > DEVICES // 4
    assert len(steps) > 1
    state.database.close()
