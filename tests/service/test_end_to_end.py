"""A server process and 2,000 devices over HTTP: the estimates cover the truth."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import harmony as hm
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from harmony_device import Device

from .conftest import recount
from .server_process import Connection, ServerProcess
from .waiting import STUCK_SECONDS

DEVICES, THREADS = 2000, 8
THEMES = ("light", "dark", "auto")

pytestmark = pytest.mark.timeout(1200)  # it takes a minute or two, and longer if others work too


def values_of(number: int) -> dict[str, float | str]:
    return {"battery": float(number * 37 % 101), "theme": THEMES[min(number % 5, 2)]}


def test_two_thousand_devices_are_each_heard_once(
    place: str, tmp_path: Path, memory_folder: Path
) -> None:
    survey = hm.Survey(
        "phones", [hm.Numeric("battery", 0, 100), hm.Categorical("theme", THEMES)], epsilon=4.0
    )
    state = ServiceState(Settings.load(database=place))
    admin = {"Authorization": f"Bearer {state.tokens.create('test', 'admin')[0]}"}
    path = "/v1/surveys/phones/rounds"
    with ServerProcess(place, tmp_path / "server.log") as server:
        operator = Connection(server.port)
        assert operator.request("POST", "/v1/surveys", survey.definition(), admin)[0] == 201
        assert operator.request("POST", path, {"label": "week1"}, admin)[0] == 201

        def visit(number: int) -> int:
            device = Device(
                f"http://127.0.0.1:{server.port}",
                memory_folder / str(number),
                record={"battery": float, "theme": str},
                consent=True,
                epsilon_limit=4.0,
            )
            with device:
                accepted = device.answer(values_of(number), patience=STUCK_SECONDS).accepted
                if number % 10 == 0:  # one that comes back has nothing more to say
                    accepted += device.answer(values_of(number)).accepted
            return len(accepted)

        with ThreadPoolExecutor(THREADS) as pool:
            accepted = list(pool.map(visit, range(DEVICES)))
        assert accepted == [1] * DEVICES
        status, found = Connection(server.port).request(
            "GET", f"{path}/week1/estimates?confidence=0.9999", None, admin
        )
        assert status == 200
        assert server.stop() == 0
    assert found["reports"] == DEVICES
    people = [values_of(number) for number in range(DEVICES)]
    truth = {("battery", None): sum(float(one["battery"]) for one in people) / DEVICES}
    for theme in THEMES:
        truth["theme", theme] = sum(one["theme"] == theme for one in people) / DEVICES
    # An interval at 99.99% reaches 3.9 standard errors, and 1.4 times as far is 5.4 of them: with
    # four estimates a false alarm in some 4 million runs.
    for row in found["estimates"]:
        middle, reach = (row["low"] + row["high"]) / 2, (row["high"] - row["low"]) / 2
        assert abs(truth[row["attribute"], row["value"]] - middle) <= 1.4 * reach
    entry = state.catalogue.round("phones", "week1")
    assert recount(state, entry.live) == state.catalogue.tally(entry)
    state.database.close()
