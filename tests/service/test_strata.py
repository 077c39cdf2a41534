"""Strata: devices are in that of the key they enrolled with, and are counted there, exactly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import text
from typer.testing import CliRunner

from harmony.cli.app import app
from harmony.service import strata as strata_module
from harmony.service.clock_jumps import STEADY_SECONDS
from harmony.service.ingest.blocks import Block
from harmony.service.ingest.packed import MEDIA_TYPE, pack
from harmony.service.retention import DAY, Retention
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from harmony.service.stores import open_store
from harmony.service.strata import NO_STRATUM, new_id, strata_of

from .conftest import SURVEY, UNLIMITED, Service, purge, recount
from .devices import Enrolled, any_report, report_body
from .old_databases import take_back_strata, write_old_database
from .postgres import Postgres
from .server_process import Connection, free_port
from .stratified import count_again, new_ids
from .test_workers import WORKERS, running, send
from .waiting import STUCK_SECONDS

Start = Callable[..., Service]


def make_key(service: Service, stratum: str) -> str:
    body = {"name": f"builds for {stratum}", "role": "enrol", "stratum": stratum}
    made = service.client.post("/v1/tokens", json=body, headers=service.admin)
    assert made.status_code == 201, made.text
    assert made.json()["stratum"] == stratum
    return str(made.json()["token"])


def enrol(service: Service, key: str) -> Enrolled:
    response = service.client.post("/v1/devices", json={"key": key})
    assert response.status_code == 201, response.text
    return Enrolled.of(response.json())


def stratum_of(service: Service, device: Enrolled) -> str:
    live = service.state.catalogue.round(SURVEY.name).live
    (number,) = live.strata(np.frombuffer(device.device, np.uint8).reshape(1, -1)).tolist()
    with service.state.database.read() as connection:
        return strata_module.read_names(connection).get(number, "")


def by_stratum(service: Service, label: str = "week1") -> dict[str, int]:
    path = f"/v1/surveys/{SURVEY.name}/rounds/{label}/strata"
    found = service.client.get(path, headers=service.admin).json()
    return {one["stratum"]: one["reports"] for one in found["strata"]} | {"": found["without"]}


def fill(service: Service) -> dict[str, list[Enrolled]]:
    """Let seven devices of Austria, five of Germany and three of no stratum report."""
    keys = {stratum: make_key(service, stratum) for stratum in ("at", "de")}
    devices = {name: [enrol(service, keys[name]) for _ in range(n)] for name, n in SIZES.items()}
    devices[""] = [service.enrol() for _ in range(3)]
    live = service.open()
    for place, device in enumerate(one for some in devices.values() for one in some):
        body = report_body("week1", any_report(live, device.device, symbol=place % 2))
        assert service.send(device, body).status_code == 201
    return devices


SIZES = {"at": 7, "de": 5}


def assert_exact(service: Service, devices: dict[str, list[Enrolled]]) -> None:
    """The tally of every stratum is that of its own devices, and the sum is the round's."""
    ids = {name: [one.device for one in some] for name, some in devices.items()}
    tallies = service.state.catalogue.tallies(service.state.catalogue.round(SURVEY.name, "week1"))
    assert tallies == count_again(service.state, SURVEY.name, "week1", ids)
    assert sum(tallies.values()) == service.tally() == service.recount()


def check(place: str) -> Any:
    return CliRunner().invoke(app, ["check", place])


def test_only_the_servers_key_tells_the_stratum_of_an_id() -> None:
    """Of 1,000 ids under another key, one would pass the check by chance in 4 million runs."""
    key, other = bytes(range(32)), bytes(32)
    ids = b"".join(new_id(number, key) for number in range(1, 251) for _ in range(4))
    assert strata_of(ids, key).tolist() == [number for number in range(1, 251) for _ in range(4)]
    assert strata_of(ids, other).tolist() == [NO_STRATUM] * 1000
    bits = np.unpackbits(np.frombuffer(ids, np.uint8).reshape(-1, 16), axis=1)
    # Each bit is set in half of them, within six standard errors: a false alarm in 4 million runs.
    assert abs(bits.mean(axis=0) - 0.5).max() < 6 * 0.5 / np.sqrt(1000)


@pytest.mark.parametrize("rule", ["open", "key", "list"])
def test_a_device_is_in_the_stratum_of_what_it_enrols_with(serve: Start, rule: str) -> None:
    service = serve(enrolment=rule)
    service.open()
    if rule == "list":
        for stratum in ("at", "de", None):
            body = {"entries": [f"serial-{stratum}"], "stratum": stratum}
            path = "/v1/enrolment/list"
            assert service.client.post(path, json=body, headers=service.admin).status_code == 200
        keys = {stratum: f"serial-{stratum}" for stratum in ("at", "de")}
        plain = "serial-None"
    else:
        keys = {stratum: make_key(service, stratum) for stratum in ("at", "de")}
        plain = service.state.tokens.create("the others", "enrol")[0]
    for stratum, key in keys.items():
        device = enrol(service, key)
        assert stratum_of(service, device) == stratum
        renewed = service.client.post("/v1/devices/me", headers=device.headers).json()
        assert renewed["device"] == device.device.hex()
    assert stratum_of(service, enrol(service, plain)) == ""
    if rule == "open":  # where a key is not asked for, one that is unknown says nothing
        assert stratum_of(service, enrol(service, "hmy_unknown_key")) == ""


def test_a_stratum_is_for_keys_and_there_are_not_too_many(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(**body: Any) -> tuple[int, str]:
        given = {"name": "one", "role": "enrol"} | body
        response = service.client.post("/v1/tokens", json=given, headers=service.admin)
        return response.status_code, response.json().get("detail", "")

    status, said = made(role="analyst", stratum="at")
    assert (status, "'stratum'" in said) == (422, True)
    for wrong in ("", "at,de", "a\nt", "x" * 65):
        status, said = made(stratum=wrong)
        assert (status, "stratum" in said) == (422, True)
    monkeypatch.setattr(strata_module, "MOST_STRATA", 2)
    assert [made(stratum=one)[0] for one in ("at", "de", "at")] == [201] * 3
    status, said = made(stratum="ch")
    assert (status, "there are 2 already" in said) == (409, True)


def test_a_tally_is_kept_for_each_stratum_through_deletions(service: Service, place: str) -> None:
    devices = fill(service)
    assert by_stratum(service) == SIZES | {"": 3}
    assert_exact(service, devices)
    for name in ("at", "de", ""):
        gone = devices[name].pop()
        assert service.client.delete("/v1/devices/me", headers=gone.headers).status_code == 204
    assert by_stratum(service) == {"at": 6, "de": 4, "": 2}
    assert_exact(service, devices)
    for gone in devices["de"]:
        service.client.delete("/v1/devices/me", headers=gone.headers)
    devices["de"].clear()
    assert_exact(service, devices)
    assert check(place).exit_code == 0


def test_the_tallies_of_strata_stay_when_reports_are_dropped(service: Service, place: str) -> None:
    devices = fill(service)
    entry = service.state.catalogue.round(SURVEY.name, "week1")
    before = service.state.catalogue.tallies(entry)
    assert_exact(service, devices)
    service.state.catalogue.close(SURVEY.name, "week1")
    steady = [0.0]
    later = service.state.clock() + 31 * DAY
    looking = Retention(service.state.database, lambda: later, lambda: steady[0])
    looking.look()
    steady[0] += STEADY_SECONDS
    assert looking.look() == 1
    purge(looking)
    service.state.catalogue.reload()
    dropped = service.state.catalogue.round(SURVEY.name, "week1")
    assert dropped.live.key is None
    assert service.state.catalogue.tallies(dropped) == before
    assert by_stratum(service) == SIZES | {"": 3}
    assert check(place).exit_code == 0


def test_gateways_and_single_reports_count_in_the_same_strata(service: Service) -> None:
    devices = fill(service)
    live = service.state.catalogue.round(SURVEY.name, "week1").live
    more = {name: new_ids(service.state, name, 40) for name in ("at", "de", "")}
    mixed = [device for some in zip(*more.values(), strict=True) for device in some]
    reports = b"".join(any_report(live, device, symbol=1) for device in mixed)
    sent = service.client.post(
        f"/v1/surveys/{SURVEY.name}/reports",
        content=pack(live.survey.fingerprint, "week1", reports, live.size),
        headers=service.bearer("gateway") | {"Content-Type": MEDIA_TYPE},
    )
    assert sent.json()["accepted"] == 120
    for name, ids in more.items():
        devices[name] += [Enrolled(device, "") for device in ids]
    assert_exact(service, devices)


def test_check_notices_reports_that_count_in_another_stratum(service: Service, place: str) -> None:
    fill(service)
    assert check(place).exit_code == 0
    with service.state.database.write() as connection:
        for table in ("counts", "totals"):
            connection.execute(text(f"UPDATE {table} SET shard = shard + 1024 WHERE shard >= 2048"))
    said = check(place)
    assert said.exit_code == 1
    assert "its tally is not that of its 15 reports" in said.stdout
    with service.state.database.write() as connection:
        connection.execute(text("DELETE FROM stratum_key"))
    said = check(place)
    assert said.exit_code == 1
    assert "stratum key" in said.stdout


@pytest.mark.parametrize("version", ["0001", "0004", "0007"])
def test_an_old_database_gets_strata_for_devices_that_enrol_from_now_on(
    place: str, version: str
) -> None:
    write_old_database(place, min(version, "0004"))
    state = ServiceState(Settings.load(database=place), clock=lambda: 100.0)
    if version == "0007":
        with state.database.write() as connection:
            take_back_strata(connection)
        state.database.close()
        state = ServiceState(Settings.load(database=place), clock=lambda: 100.0)
    key, _ = state.tokens.create("builds for at", "enrol", stratum="at")
    entry = state.catalogue.round(SURVEY.name, "week2")
    before = state.catalogue.tallies(entry)
    assert before["at"].reports == 0
    assert before[""] == state.catalogue.tally(entry) == recount(state, entry.live)
    device = state.enrolment.enrol(key).device
    store = open_store(state.database)
    store.commit([Block(entry.live, entry.live.rows(any_report(entry.live, device)))], 0.0)
    after = state.catalogue.tallies(entry)
    assert after["at"].reports == 1
    assert after[""] == before[""]
    assert after["at"] + after[""] == recount(state, entry.live)
    store.close()
    state.database.close()


def test_two_workers_count_in_strata_that_were_made_a_moment_ago(
    postgres: Postgres, tmp_path: Path
) -> None:
    place, port = postgres.fresh(), free_port()
    state = ServiceState(Settings.load(database=place, **UNLIMITED))
    state.catalogue.add(SURVEY, None)
    state.catalogue.open(SURVEY.name, "week1")
    admin = {"Authorization": f"Bearer {state.tokens.create('Ada', 'admin')[0]}"}

    def call(method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        connection = Connection(port)  # each may reach the other worker
        status, found = connection.request(method, path, body, headers)
        connection.close()
        assert status in (200, 201), found
        return found

    devices: dict[str, list[bytes]] = {"": []}
    with running(place, port, tmp_path / "server.log") as server:
        for stratum in ("at", "de"):
            body = {"name": stratum, "role": "enrol", "stratum": stratum}
            key = call("POST", "/v1/tokens", body, admin)["token"]
            enrolled = [call("POST", "/v1/devices", {"key": key}, {}) for _ in range(20)]
            devices[stratum] = [bytes.fromhex(one["device"]) for one in enrolled]
            send(state, port, devices[stratum])
        server.terminate()
        server.wait(STUCK_SECONDS)
    tallies = state.catalogue.tallies(state.catalogue.round(SURVEY.name, "week1"))
    assert tallies == count_again(state, SURVEY.name, "week1", devices)
    assert [one.reports for one in tallies.values()] == [0, 20, 20]
    with state.database.read() as connection:
        shards = connection.execute(text("SELECT DISTINCT shard % 1024 FROM totals")).scalars()
        assert len(set(shards)) == WORKERS
    assert check(place).exit_code == 0
    state.database.close()
