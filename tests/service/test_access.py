"""Who may do what: claims, tokens, device credentials, enrolment, limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import select

from harmony.service import schema
from harmony.service.asgi import SMALL_BODY

from .conftest import SURVEY, Service
from .devices import any_report, report_body

Start = Callable[..., Service]


def test_the_first_start_offers_one_claim_and_it_works_once(service: Service) -> None:
    service.state.tokens.revoke(service.state.tokens.list()[0].id)
    code = service.state.tokens.claim_code()
    token = service.client.post("/v1/claim", json={"code": code}).json()["token"]
    assert service.client.post("/v1/claim", json={"code": code}).status_code == 401
    headers = {"Authorization": f"Bearer {token}"}
    assert service.client.get("/v1/tokens", headers=headers).is_success
    assert service.state.tokens.claim_code() is None


def test_the_claim_page_shows_the_token_only_after_its_button(service: Service) -> None:
    service.state.tokens.revoke(service.state.tokens.list()[0].id)
    code = service.state.tokens.claim_code()
    page = service.client.get("/claim", params={"code": code}).text
    assert "hmy_" in page
    assert "http" not in page.replace("harmony", ""), "the page loads nothing from elsewhere"
    assert "Authorization: Bearer" in service.client.post("/claim", data={"code": code}).text
    assert service.client.post("/claim", data={"code": code}).status_code == 401
    assert "<script>" not in service.client.get("/claim", params={"code": "<script>"}).text


def test_a_claim_code_opens_nothing_else(service: Service) -> None:
    service.state.tokens.revoke(service.state.tokens.list()[0].id)
    headers = {"Authorization": f"Bearer {service.state.tokens.claim_code()}"}
    assert service.client.get("/v1/tokens", headers=headers).status_code == 403


def test_tokens_and_their_secrets_are_not_in_the_database(service: Service) -> None:
    made, _ = service.state.tokens.create("someone", "analyst")
    with service.state.database.read() as connection:
        stored = repr(connection.execute(select(schema.tokens)).all())
    assert made.split("_", 2)[2] not in stored


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("method", "path", "role"),
    [
        ("GET", "/v1/tokens", "admin"),
        ("POST", "/v1/tokens", "admin"),
        ("POST", "/v1/surveys", "admin"),
        ("POST", "/v1/surveys/phones/rounds", "admin"),
        ("POST", "/v1/surveys/phones/rounds/week1/close", "admin"),
        ("POST", "/v1/keys/rotate", "admin"),
        ("POST", "/v1/enrolment/list", "admin"),
        ("GET", "/v1/surveys/phones/rounds", "analyst"),
        ("GET", "/v1/surveys/phones/rounds/week1/estimates", "analyst"),
        ("GET", "/v1/surveys/phones/rounds/week1/estimates.csv", "analyst"),
        ("GET", "/v1/surveys/phones/rounds/week1/tally", "analyst"),
        ("GET", "/v1/surveys/phones/rounds/week1/reports.parquet", "analyst"),
        ("POST", "/v1/surveys/phones/reports", "gateway"),
    ],
)
def test_a_route_is_closed_to_every_other_role(
    service: Service, method: str, path: str, role: str
) -> None:
    service.open()
    device = service.enrol()
    others = {"admin", "analyst", "gateway", "enrol"} - {role, "admin"}
    for other in others:
        assert (
            service.client.request(method, path, headers=service.bearer(other)).status_code == 403
        )
    for headers in ({}, {"Authorization": "Bearer hmy_x_y"}):
        assert service.client.request(method, path, headers=headers).status_code == 401
    if not path.endswith("/reports"):
        response = service.client.request(method, path, headers=device.headers)
        assert response.status_code == 401
    allowed = service.client.request(method, path, headers=service.bearer(role))
    assert allowed.status_code not in (401, 403)


def test_a_revoked_or_expired_token_is_refused(serve: Start) -> None:
    now = [1_000_000.0]
    service = serve(clock=lambda: now[0])
    secret, token = service.state.tokens.create("a", "analyst")
    short, _ = service.state.tokens.create("b", "admin", 60)
    headers = {"Authorization": f"Bearer {short}"}
    assert service.client.get("/v1/tokens", headers=headers).is_success
    now[0] += 61
    assert service.client.get("/v1/tokens", headers=headers).status_code == 401
    assert service.client.delete(f"/v1/tokens/{token.id}", headers=service.admin).status_code == 204
    assert service.state.tokens.verify(secret) is None


def test_a_rotated_key_leaves_devices_time_to_renew(serve: Start) -> None:
    now = [1_000_000.0]
    service = serve(clock=lambda: now[0])
    live, device = service.open(), service.enrol()
    body = report_body("week1", any_report(live, device.device))
    rotated = service.client.post("/v1/keys/rotate", json={"grace_days": 1}, headers=service.admin)
    assert rotated.json()["key"] == 2
    assert service.send(device, body).status_code == 201
    renewed = service.client.post("/v1/devices/me", headers=device.headers).json()
    assert renewed["device"] == device.device.hex()
    now[0] += 2 * 86400
    assert service.send(device, body).status_code == 401
    headers = {"Authorization": f"Harmony {renewed['device']}.{renewed['credential']}"}
    response = service.client.post(f"/v1/surveys/{SURVEY.name}/reports", json=body, headers=headers)
    assert response.status_code == 200


def test_enrolment_by_key_needs_one_of_the_servers_keys(serve: Start) -> None:
    service = serve(enrolment="key")
    key, token = service.state.tokens.create("the fleet", "enrol")
    for body in (None, {}, {"key": "guess"}, {"key": service.state.tokens.create("x", "admin")[0]}):
        assert service.client.post("/v1/devices", json=body).status_code == 401
    responses = [service.client.post("/v1/devices", json={"key": key}).json() for _ in range(2)]
    assert responses[0]["device"] != responses[1]["device"]
    service.state.tokens.revoke(token.id)
    assert service.client.post("/v1/devices", json={"key": key}).status_code == 401


def test_an_entry_of_the_list_is_one_device_however_often_it_asks(serve: Start) -> None:
    service = serve(enrolment="list")
    entries = {"entries": ["serial-1", "serial-2", "serial-1"]}
    added = service.client.post("/v1/enrolment/list", json=entries, headers=service.admin)
    assert added.json() == {"added": 2}
    assert service.client.post("/v1/devices", json={"key": "serial-3"}).status_code == 401
    first = service.client.post("/v1/devices", json={"key": "serial-1"}).json()
    assert service.client.post("/v1/devices", json={"key": "serial-1"}).json() == first
    other = service.client.post("/v1/devices", json={"key": "serial-2"}).json()
    assert other["device"] != first["device"]


def test_an_address_that_asks_too_often_is_told_when_to_come_back(serve: Start) -> None:
    service = serve(address_rate=0.01, address_burst=3)
    responses = [service.client.get("/v1/surveys") for _ in range(4)]
    assert [response.status_code for response in responses] == [200, 200, 200, 429]
    assert 1 <= int(responses[-1].headers["retry-after"]) <= 100
    assert service.client.get("/healthz").status_code == 200


def test_a_credential_and_enrolments_have_limits_of_their_own(serve: Start) -> None:
    service = serve(
        credential_rate=0.01, credential_burst=2, enrolment_rate=0.01, enrolment_burst=2
    )
    live, device, other = service.open(), service.enrol(), service.enrol()
    assert service.client.post("/v1/devices").status_code == 429
    body = report_body("week1", any_report(live, device.device))
    assert [service.send(device, body).status_code for _ in range(3)] == [201, 200, 429]
    body = report_body("week1", any_report(live, other.device))
    assert service.send(other, body).status_code == 201


def test_a_body_over_the_limit_is_refused_with_and_without_its_length(serve: Start) -> None:
    service = serve(body_bytes=2 * SMALL_BODY, document_bytes=2048)
    service.open()
    ingest = f"/v1/surveys/{SURVEY.name}/reports"
    cases = [
        (ingest, service.bearer("gateway"), 2 * SMALL_BODY),
        (ingest, service.enrol().headers, SMALL_BODY),
        ("/v1/devices", {}, SMALL_BODY),
        ("/sign-in", {}, SMALL_BODY),
        ("/v1/tokens", service.admin, 2048),
    ]
    for path, headers, most in cases:
        for size, refused in ((most, False), (most + 1, True)):
            whole = service.client.post(path, content=bytes(size), headers=headers)
            assert (whole.status_code == 413) == refused, path
            pieces = iter([bytes(1024)] * (size // 1024) + [bytes(size % 1024)])
            parts = service.client.post(path, content=pieces, headers=headers)
            assert (parts.status_code == 413) == refused, path


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer hmy_0_0"}, {"Authorization": "Harmony 00.1-0-00"}]
)
@pytest.mark.parametrize("path", [f"/v1/surveys/{SURVEY.name}/reports", "/v1/surveys", "/v1/none"])
def test_the_body_of_somebody_unknown_is_not_read(
    service: Service, path: str, headers: dict[str, str]
) -> None:
    read = []

    def body() -> Iterator[bytes]:
        read.append(True)
        yield b"{}"

    # The client of the tests reads its own body when the application asks for it, not before.
    response = service.client.post(path, content=body(), headers=headers)
    assert response.status_code == 401
    assert not read


def test_pages_of_other_origins_are_not_let_in_unless_asked_for(serve: Start) -> None:
    origin = {"Origin": "https://dashboard.example"}
    service = serve()
    response = service.client.get("/v1/surveys", headers=origin)
    assert "access-control-allow-origin" not in response.headers
    service = serve(cors_origins=["https://dashboard.example"])
    response = service.client.get("/v1/surveys", headers=origin)
    assert response.headers["access-control-allow-origin"] == "https://dashboard.example"
    preflight = service.client.options(
        f"/v1/surveys/{SURVEY.name}/reports",
        headers=origin | {"Access-Control-Request-Method": "POST"},
    )
    assert preflight.status_code == 200
