"""A disk that is full, and a database that fails, are told as such: 503, and the log says why."""

from __future__ import annotations

import errno
import tempfile
from typing import Any

import pytest
from sqlalchemy import text

from .conftest import SURVEY, Service
from .devices import any_report, report_body

PATH = f"/v1/surveys/{SURVEY.name}/rounds/week1/reports.parquet"


def test_an_export_that_finds_no_room_says_so(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    live, device = service.open(), service.enrol()
    body = report_body("week1", any_report(live, device.device))
    assert service.send(device, body).status_code == 201
    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    refused = service.client.get(PATH, headers=service.admin)
    assert refused.status_code == 503
    assert "no room" in refused.json()["detail"]


def test_an_export_from_a_database_that_fails_says_so(service: Service) -> None:
    service.open()
    with service.state.database.write() as connection:
        table = "chunks" if service.state.database.is_sqlite else "reports"
        connection.execute(text(f"ALTER TABLE {table} RENAME TO gone"))
    refused = service.client.get(PATH, headers=service.admin)
    assert refused.status_code == 503
    assert refused.json()["detail"] == "the database does not respond"
