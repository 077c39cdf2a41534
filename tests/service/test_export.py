"""Exports: analysts get pseudonyms of one round, admins may ask for ids, and both are recorded."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import harmony as hm
from harmony.cli.app import app
from harmony.engines import LogWriter, tally_log
from harmony.reports import has_pseudonyms
from harmony.service import export
from harmony.service.ingest.blocks import LiveRound, Reports
from harmony.service.upkeep.check import check

from .conftest import SURVEY, Service, purge
from .devices import any_report
from .waiting import STUCK_SECONDS

Start = Callable[..., Service]

DEVICES = 700


def fill(service: Service, label: str, devices: list[bytes]) -> None:
    """Let devices report, in this order, as a gateway brings them."""
    live = service.open(label)
    reports = [
        {"round": label, "report": any_report(live, one, symbol=place % 2).hex()}
        for place, one in enumerate(devices)
    ]
    path = f"/v1/surveys/{SURVEY.name}/reports"
    sent = service.client.post(path, json=reports, headers=service.bearer("gateway"))
    assert set(sent.json()["results"]) == {"accepted"}
    service.state.catalogue.close(SURVEY.name, label)


def exported(service: Service, label: str, role: str = "analyst", **query: str) -> Any:
    path = f"/v1/surveys/{SURVEY.name}/rounds/{label}/reports.parquet"
    headers = service.admin if role == "admin" else service.bearer(role)
    return service.client.get(path, params=query, headers=headers)


def table_of(response: Any) -> pa.Table:
    assert response.status_code == 200, response.text
    assert int(response.headers["content-length"]) == len(response.content)
    return pq.read_table(pa.BufferReader(response.content))


@pytest.fixture
def devices() -> list[bytes]:
    random = np.random.default_rng(17)
    return [random.bytes(16) for _ in range(DEVICES)]


def test_pseudonyms_count_to_the_tally_and_link_no_rounds(
    service: Service, devices: list[bytes]
) -> None:
    tables = []
    for label in ("week1", "week2"):
        fill(service, label, devices)
        table = table_of(exported(service, label))
        assert has_pseudonyms(table.schema)
        assert SURVEY.tally(table) == service.tally(label)
        tables.append(table)
    names = [set(table["device"].to_pylist()) for table in tables]
    assert len(names[0]) == len(names[1]) == DEVICES
    assert not names[0] & names[1]
    assert not (names[0] | names[1]) & set(devices)


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@pytest.mark.parametrize("over_time", [{"every": 3}, {"memory": 3.0}, {"every": 2, "memory": 3.0}])
def test_surveys_asked_again_and_again_are_exported_and_checked_alike(
    service: Service, devices: list[bytes], over_time: dict[str, Any]
) -> None:
    """Each report counts where its coin says, which with memory is not the round's own."""
    asked = [hm.Boolean("wifi"), hm.Integer("sims", 0, 3), hm.Crosstab("wifi", "sims")]
    survey = hm.Survey(SURVEY.name, asked, epsilon=1.0, **over_time)
    counted = 0
    for label in ("week1", "week2", "week3"):
        live = service.open(label, survey)
        reports = [{"round": label, "report": any_report(live, one).hex()} for one in devices]
        path = f"/v1/surveys/{SURVEY.name}/reports"
        service.client.post(path, json=reports, headers=service.bearer("gateway"))
        service.state.catalogue.close(SURVEY.name, label)
        tally = service.tally(label)
        counted += tally.reports
        assert survey.tally(table_of(exported(service, label))) == tally
    turns = over_time.get("every", 1)
    assert counted == DEVICES * 3 if turns == 1 else DEVICES <= counted < DEVICES * 3
    assert [
        one for one in check(service.state.database, service.state.clock()) if one.problem
    ] == []


def test_the_order_of_reports_does_not_tell_when_they_came(
    service: Service, devices: list[bytes]
) -> None:
    fill(service, "week1", devices)
    for role, query in (("analyst", {}), ("admin", {"ids": "raw"})):
        names = table_of(exported(service, "week1", role, **query))["device"].to_pylist()
        assert names == sorted(names)


def test_ids_are_for_an_admin_who_asks_for_them_and_that_is_recorded(
    service: Service, devices: list[bytes]
) -> None:
    fill(service, "week1", devices)
    assert exported(service, "week1", "analyst", ids="raw").status_code == 403
    assert exported(service, "week1", "admin", ids="names").status_code == 422
    assert has_pseudonyms(table_of(exported(service, "week1", "admin")).schema)
    raw = table_of(exported(service, "week1", "admin", ids="raw"))
    assert set(raw["device"].to_pylist()) == set(devices)
    assert SURVEY.tally(raw) == service.tally("week1")
    entries = [
        (one.who, one.subject, one.detail)
        for one in service.state.activity.entries()
        if one.act == "reports exported"
    ]
    subject = f"{SURVEY.name} week1"
    assert entries == [
        ("admin", subject, {"ids": ids, "reports": DEVICES}) for ids in ("raw", "pseudonyms")
    ]


def test_an_export_that_cannot_be_recorded_is_not_handed_out(
    service: Service, devices: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(service, "week1", devices)

    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("the record cannot be written")

    monkeypatch.setattr(export, "note", broken)
    response = exported(service, "week1", "admin", ids="raw")
    assert response.status_code == 500
    assert devices[0] not in response.content


def test_dropped_reports_are_refused_by_name(service: Service, devices: list[bytes]) -> None:
    service.state.catalogue.add(SURVEY, None, retention=0)
    fill(service, "week1", devices[:5])
    response = exported(service, "week1")
    assert response.status_code == 410
    assert response.json()["type"] == "/problems/dropped"
    assert "its tally stays" in response.json()["detail"]


def test_a_server_whose_memory_is_old_exports_nothing_of_dropped_rounds(
    serve: Start, devices: list[bytes]
) -> None:
    one, other = serve(), serve()
    fill(one, "week1", devices)
    other.state.catalogue.reload()
    assert exported(other, "week1").status_code == 200
    change = {"retention_days": 0, "confirm": SURVEY.name}
    path = f"/v1/surveys/{SURVEY.name}/settings"
    assert one.client.patch(path, json=change, headers=one.admin).status_code == 200
    assert exported(other, "week1").status_code == 410  # it still has the key in memory


def test_an_export_under_way_when_reports_are_dropped_is_whole(
    service: Service, devices: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(service, "week1", devices[:300])
    tally = service.tally("week1")
    reading, go_on = threading.Event(), threading.Event()
    original = export.write_parquet

    def slow(file: Any, live: LiveRound, blocks: Iterator[Reports], *, raw: bool) -> int:
        def held() -> Iterator[Reports]:
            for block in blocks:
                yield block[:1]
                reading.set()
                assert go_on.wait(STUCK_SECONDS)
                yield block[1:]

        return original(file, live, held(), raw=raw)

    monkeypatch.setattr("harmony.service.api.analysis.write_parquet", slow)
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(exported(service, "week1")))
    thread.start()
    assert reading.wait(STUCK_SECONDS)
    change = {"retention": 0, "schedule": None}
    actor = service.state.tokens.list()[0]
    service.state.governance.change(SURVEY.name, change, SURVEY.name, actor)
    purge(service.state.retention)
    go_on.set()
    thread.join()
    assert SURVEY.tally(table_of(found[0])) == tally
    assert exported(service, "week1").status_code == 410


@pytest.mark.parametrize("at_once", [1, 64, 10**6])
@pytest.mark.parametrize("raw", [True, False])
def test_many_reports_are_put_in_order_in_parts(at_once: int, raw: bool) -> None:
    live = LiveRound(1, SURVEY, hm.Round("any", bytes(16)), 0.0, key=bytes(range(32)))
    random = np.random.default_rng(3)
    packed = b"".join(any_report(live, random.bytes(16)) for _ in range(3000))
    blocks = [live.rows(packed)[start : start + 100] for start in range(0, 3000, 100)]
    found = pa.Table.from_batches(export.batches(live, iter(blocks), raw=raw, at_once=at_once))
    names = found["device"].to_pylist()
    assert names == sorted(names)
    assert len(set(names)) == 3000
    assert SURVEY.tally(found).reports == 3000


def test_nothing_of_an_export_is_left_on_the_disk(
    service: Service, devices: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setattr(export, "AT_ONCE", 10)
    fill(service, "week1", devices[:50])
    assert exported(service, "week1").status_code == 200
    assert os.listdir(folder) == []


def run(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_a_log_has_pseudonyms_unless_ids_are_asked_for(
    service: Service, devices: list[bytes], tmp_path: Path
) -> None:
    fill(service, "week1", devices)
    SURVEY.save(tmp_path / "survey.json")
    database = service.state.settings.database
    expected = service.tally("week1")
    for option, folder in ((), "logs"), (("--raw-ids",), "raw"):
        words = ["export", tmp_path / "survey.json", "--database", database, *option]
        said = run(*words, "-o", tmp_path / folder)
        assert said.exit_code == 0, said.stderr
        for engine in ("arrow", "duckdb"):
            for trusted in (True, False):
                counted = tally_log(
                    SURVEY, tmp_path / folder, "week1", engine=engine, trusted=trusted
                )
                assert counted.tally == expected
        low = [pq.read_table(path)["device_low"].to_pylist() for path in parts(tmp_path / folder)]
        ids = {int.from_bytes(one[:8], "little", signed=True) for one in devices}
        assert (set(low[0]) == ids) == bool(option)
    entries = [one for one in service.state.activity.entries() if one.role == "operator"]
    assert [one.detail["ids"] for one in entries] == ["raw", "pseudonyms"]
    assert all("at the command line" in one.who for one in entries)


def parts(root: Path) -> list[Path]:
    return sorted(root.rglob("*.parquet"))


def test_pseudonyms_and_ids_are_not_mixed_in_a_log(
    service: Service, devices: list[bytes], tmp_path: Path
) -> None:
    fill(service, "week1", devices[:9])
    named = table_of(exported(service, "week1"))
    raw = table_of(exported(service, "week1", "admin", ids="raw"))
    live = service.state.catalogue.round(SURVEY.name, "week1").live
    with LogWriter(tmp_path / "one", SURVEY, live.round) as log:
        log.write_table(named)
        with pytest.raises(hm.TallyError, match="some have pseudonyms"):
            log.write_table(raw)
    for table in (named, raw):
        with LogWriter(tmp_path / "two", SURVEY, live.round) as log:
            log.write_table(table)
    with pytest.raises(hm.TallyError, match="could count twice"):
        tally_log(SURVEY, tmp_path / "two")


def test_the_command_line_counts_a_file_with_pseudonyms(
    service: Service, devices: list[bytes], tmp_path: Path
) -> None:
    fill(service, "week1", devices)
    SURVEY.save(tmp_path / "survey.json")
    (tmp_path / "reports.parquet").write_bytes(exported(service, "week1").content)
    files = tmp_path / "survey.json", tmp_path / "reports.parquet"
    said = run("tally", *files, "-o", tmp_path / "a.tally")
    assert said.exit_code == 0, said.stderr
    assert hm.Tally.load(tmp_path / "a.tally") == service.tally("week1")
    said = run("export", *files, "-o", tmp_path / "logs")
    assert said.exit_code == 0, said.stderr
    assert tally_log(SURVEY, tmp_path / "logs").tally == service.tally("week1")
    said = run("export", *files, "-o", tmp_path / "more", "--raw-ids")
    assert said.exit_code != 0


def test_a_table_that_says_pseudonyms_and_has_no_cells_is_refused() -> None:
    live = LiveRound(1, SURVEY, hm.Round("any", bytes(16)), 0.0, key=bytes(32))
    rows = live.rows(any_report(live, bytes(16)))
    (batch,) = export.batches(live, [rows], raw=False)
    table = pa.Table.from_batches([batch])
    with pytest.raises(hm.TallyError, match="'cell_0' is missing"):
        SURVEY.tally(table.drop_columns(["cell_0"]))
    wrong = table.set_column(table.column_names.index("cell_1"), "cell_1", pa.array([10**6]))
    with pytest.raises(hm.TallyError, match="not in its attribute's table"):
        SURVEY.tally(wrong)
