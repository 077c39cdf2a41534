"""A real server, Node and browser devices: a round and a training, each device heard once.

HARMONY_FLEET is how many there are of each kind.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import harmony as hm
from harmony.learn.training import Training
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from tests.device.fake_server import serving
from tests.service.conftest import recount
from tests.service.server_process import Connection, ServerProcess, free_port
from tests.service.training import check_tallies

from . import sdk
from .pages import Pages, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

DEVICES = int(os.environ.get("HARMONY_FLEET", "100"))
"""Of each kind."""
DEVICES_A_CONTEXT = 25
THEMES = ("light", "dark", "auto")
EPSILON = 4.0
TRAINING = Training(
    "charging",
    epsilon=1.0,
    loss="logistic",
    label=hm.Boolean("charging"),
    features=[hm.Categorical("theme", THEMES), hm.Boolean("wifi")],
    devices=8 * DEVICES // 5,
)

BROWSERS = """async ([server, epsilon, people, first]) => {
    const from = (path) => import(`/device/javascript/${path}`);
    const { Device, IndexedDbStore } = await from("src/index.js");
    const { takePart } = await from("tests/support/take_part.mjs");
    Date.now = realNow;
    const found = [];
    for (const [place, values] of people.entries()) {
        const store = new IndexedDbStore(`device ${first + place}`);
        found.push(await takePart(Device, server, epsilon, store, values));
    }
    return found;
}"""


def values_of(number: int) -> dict[str, float | str | bool]:
    return {
        "battery": float(number * 37 % 101), "theme": THEMES[min(number % 5, 2)],
        "wifi": number % 3 == 0, "charging": number % 4 == 0,
    }  # fmt: skip


def in_browsers(browser: Browser, page_url: str, server: str, epsilon: float) -> list[Any]:
    """Visit from contexts that share nothing, with some devices in each."""
    found: list[Any] = []
    for first in range(0, DEVICES, DEVICES_A_CONTEXT):
        last = min(first + DEVICES_A_CONTEXT, DEVICES)
        people = [values_of(number) for number in range(first, last)]
        context = browser.new_context()
        page = opened(context, page_url)
        found += page.evaluate(BROWSERS, [server, epsilon, people, first])
        context.close()
    return found


def test_devices_of_both_kinds_are_each_heard_once(browser: Browser, tmp_path: Path) -> None:
    survey = hm.Survey(
        "phones", [hm.Numeric("battery", 0, 100), hm.Categorical("theme", THEMES)], epsilon=EPSILON
    )
    place = f"sqlite:///{tmp_path / 'harmony.sqlite'}"
    state = ServiceState(Settings.load(database=place))
    admin = {"Authorization": f"Bearer {state.tokens.create('test', 'admin')[0]}"}
    path = "/v1/surveys/phones/rounds"
    people = [values_of(number) for number in range(DEVICES)]
    epsilon = EPSILON + TRAINING.epsilon
    port = free_port()
    with serving(Pages(0)) as pages:
        server = ServerProcess(place, tmp_path / "server.log", port, cors_origins=[pages])
        with server:
            operator = Connection(server.port)
            assert operator.request("POST", "/v1/surveys", survey.definition(), admin)[0] == 201
            assert operator.request("POST", path, {"label": "week1"}, admin)[0] == 201
            training = {"training": TRAINING.to_document(), "step_seconds": 600}
            assert operator.request("POST", "/v1/trainings", training, admin)[0] == 201
            url = f"http://127.0.0.1:{server.port}"
            lines = "\n".join(map(json.dumps, people))
            told = sdk.run("fleet", url, epsilon, standard_input=lines)
            fleet = [json.loads(line) for line in told.splitlines()]
            fleet += in_browsers(browser, pages, url, epsilon)
            status, found = Connection(server.port).request(
                "GET", f"{path}/week1/estimates?confidence=0.9999", None, admin
            )
            assert status == 200
            assert server.stop() == 0
    assert len({one["device"] for one in fleet}) == 2 * DEVICES
    for one in fleet:
        assert one["accepted"].count("phones") == 1, one
        assert ["phones", "week1", "accepted"] in one["ledger"]
        assert one["troubles"] == [None, None]
    assert found["reports"] == 2 * DEVICES
    truth = {("battery", None): sum(float(one["battery"]) for one in people) / DEVICES}
    for theme in THEMES:
        truth["theme", theme] = sum(one["theme"] == theme for one in people) / DEVICES
    # Four intervals at 99.99%: a false alarm in about 1 of 2,500 runs.
    for row in found["estimates"]:
        assert row["low"] <= truth[row["attribute"], row["value"]] <= row["high"]
    listed = state.catalogue.round("phones", "week1")
    assert recount(state, listed.live) == state.catalogue.tally(listed)
    took_part = sum(TRAINING.name in one["accepted"] for one in fleet)
    assert took_part == sum(check_tallies(state, TRAINING.name)) > DEVICES // 4
    state.database.close()
