"""A SQLite file that goes while the server runs: nothing is acknowledged into the void."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harmony.service.settings import Settings
from harmony.service.state import ServiceState

from .conftest import SURVEY, UNLIMITED
from .devices import Enrolled, any_report, report_body
from .server_process import Connection, ServerProcess
from .waiting import wait_until


def remove(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()


def replace(folder: Path) -> None:
    """Put a copy in its place, as whoever restores a backup under a running server."""
    whole = (folder / "harmony.db").read_bytes()
    remove(folder)
    (folder / "harmony.db").write_bytes(whole)


def move_folder(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


@pytest.mark.parametrize("lose", [remove, replace, move_folder])
def test_what_would_be_lost_is_not_acknowledged(tmp_path: Path, lose: Any) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    place = str(folder / "harmony.db")
    state = ServiceState(Settings.load(database=place, **UNLIMITED))
    state.catalogue.add(SURVEY, None)
    live = state.catalogue.open(SURVEY.name, "week1").live
    admin = {"Authorization": f"Bearer {state.tokens.create('admin', 'admin')[0]}"}
    devices = [Enrolled(bytes([one]) * 16, state.credentials.issue(bytes([one]) * 16, 0))
               for one in range(2)]  # fmt: skip
    bodies = [report_body("week1", any_report(live, one.device)) for one in devices]
    path = f"/v1/surveys/{SURVEY.name}"
    with ServerProcess(place, tmp_path / "log") as server:
        client = Connection(server.port)

        def send(number: int) -> int:
            return client.request(
                "POST", f"{path}/reports", bodies[number], devices[number].headers
            )[0]

        assert send(0) == 201
        assert client.request("GET", f"{path}/rounds/week1/estimates", None, admin)[0] == 200
        state.database.close()
        lose(folder)
        assert send(1) == 503
        named = {"name": "analyst", "role": "analyst"}
        assert client.request("POST", "/v1/tokens", named, admin)[0] == 503
        assert client.request("GET", f"{path}/rounds/week1/estimates", None, admin)[0] == 503
        assert client.request("GET", f"{path}/rounds/week1/reports.parquet", None, admin)[0] == 503
        assert client.request("DELETE", "/v1/devices/me", None, devices[0].headers)[0] == 503
        wait_until(lambda: client.request("GET", "/readyz")[0] == 503, "it to be not ready")
        assert "Traceback" not in (tmp_path / "log").read_text()
