"""Logs tell what failed and where, and nothing that was sent: no token, no device, no report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from harmony.service.logs import plain_traceback, redact
from harmony.service.settings import Settings
from harmony.service.state import ServiceState

from .conftest import SURVEY, Service
from .devices import Enrolled, any_report, report_body
from .logs_read import private_parts
from .server_process import Connection, ServerProcess, run_server

PATH = f"/v1/surveys/{SURVEY.name}/reports"


def run_failing_server(log: str, settings: dict[str, Any]) -> None:
    """Serve with faults whose messages, and whose local variables, hold what was sent."""
    from harmony.service.catalogue import Catalogue
    from harmony.service.ingest.writer import Writer
    from harmony.service.stores.sqlite import SqliteStore
    from harmony.service.tokens import Tokens

    verify = Tokens.verify_known

    def add(self: Catalogue, survey: Any, schedule: Any) -> Any:
        raise ValueError(f"cannot add {survey.name} with {schedule}")

    def fail_verify(self: Tokens, presented: str) -> Any:
        token = verify(self, presented)
        if token is not None and token.role == "analyst":
            raise OperationalError("SELECT ?", {"token": presented}, Exception(presented))
        if token is not None and token.role == "gateway":
            raise KeyError(presented)
        return token

    def hand_in(self: Writer, live: Any, report: bytes, waiter: Any) -> None:
        raise RuntimeError(report, report.hex())

    def forget(self: SqliteStore, device: bytes, rounds: Any) -> int:
        raise RuntimeError(device)

    Catalogue.add = add  # type: ignore[method-assign]
    Tokens.verify_known = fail_verify  # type: ignore[method-assign]
    Writer.hand_in = hand_in  # type: ignore[method-assign]
    SqliteStore.forget = forget  # type: ignore[method-assign]
    run_server(log, settings)


@pytest.mark.parametrize("log_format", ["console", "json"])
def test_failures_are_logged_plainly_and_without_anything_that_was_sent(
    tmp_path: Path, log_format: str
) -> None:
    place, log = str(tmp_path / "harmony.db"), tmp_path / "server.log"
    state = ServiceState(Settings.load(database=place))
    state.catalogue.add(SURVEY, None)
    live = state.catalogue.open(SURVEY.name, "week1").live
    tokens = {one: state.tokens.create(one, one)[0] for one in ("admin", "analyst", "gateway")}
    state.database.close()
    server = ServerProcess(place, log, target=run_failing_server, log_format=log_format)
    with server:
        connection = Connection(server.port)
        device = Enrolled.of(connection.request("POST", "/v1/devices")[1])
        report = any_report(live, device.device)
        definition = {
            "name": "other",
            "epsilon": 1.0,
            "attributes": [{"name": "private-value", "kind": "boolean"}],
        }

        def send(method: str, path: str, body: Any, authorization: str) -> int:
            headers = {"Authorization": authorization}
            return connection.request(method, path, body, headers)[0]

        def bearer(role: str) -> str:
            return f"Bearer {tokens[role]}"

        own = device.headers["Authorization"]
        assert send("POST", "/v1/surveys", definition, bearer("admin")) == 500
        assert send("GET", f"/v1/surveys/{SURVEY.name}/rounds", None, bearer("analyst")) == 503
        assert send("POST", PATH, [report_body("week1", report)], bearer("gateway")) == 500
        assert send("POST", PATH, report_body("week1", report), own) == 500
        assert send("DELETE", "/v1/devices/me", None, own) == 500
        connection.close()
        assert server.stop() == 0
    logged = log.read_text()
    secrets = [*tokens.values(), device.credential, device.device.hex(), report.hex()]
    secrets += [token.split("_", 2)[2] for token in tokens.values()]
    secrets += [repr(device.device)[2:-1], "private-value"]
    for secret in secrets:
        assert secret[:20] not in logged
    assert "locals" not in logged
    assert "\N{BOX DRAWINGS LIGHT VERTICAL}" not in logged
    assert logged.count("request failed") == 4  # once each, and the database once
    assert "catalogue.add(" in logged
    assert "Exception in ASGI application" not in logged
    if log_format == "json":
        assert all(json.loads(line) for line in logged.splitlines() if line.startswith("{"))


def test_a_traceback_has_its_causes_and_no_end_of_frames() -> None:
    def deeper(left: int) -> None:
        if left:
            deeper(left - 1)
        raise ValueError("private")

    try:
        try:
            deeper(500)
        except ValueError as raised:
            raise ExceptionGroup("private", [raised]) from raised
    except ExceptionGroup as raised:
        shown = plain_traceback(raised)
    assert "private" not in shown.replace('raise ValueError("private")', "").replace(
        'raise ExceptionGroup("private", [raised])', ""
    )
    assert shown.endswith("ExceptionGroup")
    assert "ValueError\nthen:\n" in shown
    assert shown.count("deeper(left - 1)") <= 100


def test_what_a_log_may_not_hold_is_found() -> None:
    claim = "  http://localhost/claim?code=hmy_00ff_abc-_1\n"
    assert private_parts(claim + "survey created by=Ada key=3 id=... 2026-11-17T12:00:00Z") == []
    for secret in ("hmy_00ff_abc-_1", "0f" * 9, "A5" * 10, str(bytes(range(200, 216)))):
        assert private_parts(f"{claim}failed: {secret}")


LONE = '"\\ud800"'


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("POST", "/v1/surveys", '{"name": "a", "attributes": [{"name": %s}]}', "attributes.0.name"),
        ("POST", "/v1/surveys", '{"name": "a", %s: 1}', "body"),
        ("POST", "/v1/surveys", "%s", "body"),
        ("POST", "/v1/surveys/phones/rounds", '{"label": "x", %s: 1}', "body"),
        ("POST", "/v1/tokens", '{"name": %s, "role": "admin"}', "name"),
        ("POST", "/v1/enrolment/list", '{"entries": ["a", %s]}', "entries.1"),
        ("POST", "/v1/trainings", '{"definition": {"name": %s}}', "definition.name"),
        ("POST", "/v1/devices", '{"key": %s}', "key"),
        ("POST", "/v1/claim", '{"code": %s}', "code"),
    ],
)
def test_half_a_surrogate_pair_is_refused_wherever_it_stands(
    service: Service, method: str, path: str, body: str, field: str
) -> None:
    for lone in (LONE, '"a\\uDFFF"', '"\\udc00\\ud800"'):
        headers = service.admin | {"Content-Type": "application/json"}
        response = service.client.request(method, path, content=body % lone, headers=headers)
        assert response.status_code == 422
        assert response.json()["detail"].startswith(f"'{field}'")


def test_half_a_surrogate_pair_in_a_report_is_refused_too(service: Service) -> None:
    service.open()
    headers = {"Content-Type": "application/json"}
    for body in ('{"round": %s, "report": ""}', '{"round": "week1", "report": %s}'):
        whose = service.enrol().headers
        single = service.client.post(PATH, content=body % LONE, headers=headers | whose)
        listed = service.client.post(
            PATH, content=f"[{body % LONE}]", headers=headers | service.bearer("gateway")
        )
        assert (single.status_code, listed.status_code) == (422, 422)


def test_a_whole_pair_is_a_character_as_any_other(service: Service) -> None:
    body = b'{"name": "\\ud83d\\ude00", "role": "analyst"}'
    headers = service.admin | {"Content-Type": "application/json"}
    made = service.client.post("/v1/tokens", content=body, headers=headers)
    assert made.json()["name"] == "\N{GRINNING FACE}"


@pytest.mark.parametrize("sent", ["\x1b[2J", "\r", "\x9b2J", "\u202e", "\u2028", "\x85", "\x07"])
def test_a_log_does_nothing_to_the_terminal_that_shows_it(sent: str) -> None:
    shown = redact(f"request failed path=/v1/{sent}x\n  a traceback's line\n")
    assert shown.count("\n") == 2
    assert sent not in shown
    assert shown.replace("\n", "").isprintable()


def test_logs_that_nobody_set_up_are_as_plain(
    service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ValueError(f"cannot close with {service.admin}")

    monkeypatch.setattr(service.state.catalogue, "add", fail)
    response = service.client.post("/v1/surveys", json=SURVEY.definition(), headers=service.admin)
    assert response.status_code == 500
    said = "".join(capsys.readouterr())
    assert "ValueError" in said
    assert "locals" not in said
    assert private_parts(said) == []
