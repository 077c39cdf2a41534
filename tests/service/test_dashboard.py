"""The dashboard's doors: who may see what, forms that are ours, pages that keep to themselves."""

from __future__ import annotations

import http.client
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import harmony as hm
from harmony.service.dashboard.assets import OWN, PLOTLY, asset_url
from harmony.service.dashboard.sessions import COOKIE, LINK_SECONDS, SESSION_SECONDS, Sessions
from harmony.service.settings import Settings
from harmony.service.state import ServiceState

from .conftest import SURVEY, Service
from .devices import any_report, report_body
from .exploration import WORDS
from .exploration import create as create_exploration
from .server_process import ServerProcess
from .waiting import STUCK_SECONDS

Start = Callable[..., Service]
PAGES = ("/surveys", "/devices", "/settings", "/new-survey")


class Visitor:
    """A browser as small as can be: it keeps its cookie and knows its forms' token."""

    def __init__(self, service: Service, role: str) -> None:
        self._client = service.client
        token = service.bearer(role)
        link = self._client.post("/v1/sign-in-links", headers=token).json()["link"]
        self.code = link.rpartition("code=")[2]
        response = self.sign_in(self.code)
        assert response.status_code == 303, response.text
        self.header = response.headers["set-cookie"]
        self.cookie = re.search(rf"{COOKIE}=([^;]+)", self.header)[1]  # type: ignore[index]

    def sign_in(self, code: str) -> Any:
        self._client.cookies.clear()
        form = {"code": code, "link": "1"}
        return self._client.post("/sign-in", data=form, follow_redirects=False)

    def get(self, path: str) -> Any:
        return self._send("GET", path)

    def post(self, path: str, **form: str) -> Any:
        shown = self.get("/surveys").text
        csrf = re.search(r'name="csrf" value="([0-9a-f]{64})"', shown)
        return self._send("POST", path, {"csrf": csrf[1] if csrf else "", **form})

    def _send(self, method: str, path: str, form: dict[str, str] | None = None) -> Any:
        self._client.cookies.clear()
        headers = {"Cookie": f"{COOKIE}={self.cookie}"}
        return self._client.request(
            method, path, data=form, headers=headers, follow_redirects=False
        )


def test_whoever_is_not_signed_in_is_shown_the_door(service: Service) -> None:
    service.open()
    for path in (*PAGES, "/", f"/surveys/{SURVEY.name}?round=week1"):
        response = service.client.get(path, follow_redirects=False)
        assert response.status_code == 303
        assert response.headers["location"].startswith("/sign-in?next=/")
    for path in (
        "/surveys.json",
        "/devices.csv",
        f"/surveys/{SURVEY.name}/estimates.json",
        "/live",
    ):
        assert service.client.get(path).status_code == 401
    assert service.client.post(f"/surveys/{SURVEY.name}/close").status_code == 401


def test_a_link_works_once_and_only_for_a_while(serve: Start) -> None:
    now = [1.8e9]
    service = serve(clock=lambda: now[0])
    visitor = Visitor(service, "analyst")
    assert visitor.get("/surveys").status_code == 200
    assert visitor.sign_in(visitor.code).status_code == 401
    late = service.client.post("/v1/sign-in-links", headers=service.admin).json()["link"]
    now[0] += LINK_SECONDS + 1
    assert visitor.sign_in(late.rpartition("code=")[2]).status_code == 401
    now[0] += SESSION_SECONDS
    assert visitor.get("/surveys").status_code == 303


def test_a_link_is_no_bearer_and_a_session_is_no_token(service: Service) -> None:
    visitor = Visitor(service, "admin")
    link = service.client.post("/v1/sign-in-links", headers=service.admin).json()["link"]
    for secret in (visitor.cookie, link.rpartition("code=")[2]):
        headers = {"Authorization": f"Bearer {secret}"}
        assert service.client.get("/v1/tokens", headers=headers).status_code == 403
    assert visitor.sign_in(visitor.cookie).status_code == 401
    assert {one.role for one in service.state.tokens.list()} == {"admin"}


@pytest.mark.parametrize("role", ["gateway", "enrol"])
def test_only_people_sign_in(service: Service, role: str) -> None:
    headers = service.bearer(role)
    assert service.client.post("/v1/sign-in-links", headers=headers).status_code == 403
    form = {"code": headers["Authorization"].removeprefix("Bearer ")}
    assert service.client.post("/sign-in", data=form).status_code == 401


def test_the_cookie_is_kept_from_scripts_and_other_sites(serve: Start) -> None:
    plain = Visitor(serve(), "admin").header.lower()
    assert "httponly" in plain
    assert "samesite=strict" in plain
    assert "secure" not in plain
    assert (
        "secure" in Visitor(serve(public_url="https://stats.example.org"), "admin").header.lower()
    )


def test_analysts_see_and_cannot_administer(service: Service) -> None:
    service.open()
    analyst = Visitor(service, "analyst")
    for path in ("/surveys", "/devices", f"/surveys/{SURVEY.name}", "/devices.json"):
        assert analyst.get(path).status_code == 200
    for path in ("/settings", "/settings.json", "/settings.csv", "/new-survey"):
        assert analyst.get(path).status_code == 403
    for path, form in (
        (f"/surveys/{SURVEY.name}/close", {"label": "week1"}),
        (f"/surveys/{SURVEY.name}/rounds", {"label": "week2"}),
        ("/new-survey", {"name": "x"}),
        ("/new-survey/plan", {"name": "x"}),
        ("/settings/tokens", {"name": "x", "role": "admin"}),
        (f"/settings/tokens/{service.state.tokens.list()[0].id}/link", {}),
        (f"/settings/tokens/{service.state.tokens.list()[0].id}/revoke", {}),
        ("/settings/schedule", {"survey": SURVEY.name, "schedule": "daily"}),
    ):
        assert analyst.post(path, **form).status_code == 403, path
    assert service.state.catalogue.round(SURVEY.name, "week1").closed is None


def test_a_form_needs_the_token_of_its_own_session(service: Service) -> None:
    service.open()
    admin, other = Visitor(service, "admin"), Visitor(service, "admin")
    theirs = re.search(r'name="csrf" value="([0-9a-f]+)"', other.get("/surveys").text)
    assert theirs is not None
    close = f"/surveys/{SURVEY.name}/close"
    for csrf in ("", "0" * 64, theirs[1]):
        assert admin.post(close, label="week1", csrf=csrf).status_code == 403
    assert admin.post("/sign-out", csrf="").status_code == 403
    assert "Close round week1 of" in admin.post(close, label="week1").text
    assert service.state.catalogue.round(SURVEY.name, "week1").closed is None
    assert admin.post(close, label="week1", confirm="week1").status_code == 303
    assert service.state.catalogue.round(SURVEY.name, "week1").closed is not None
    assert admin.post("/sign-out").status_code == 303
    assert admin.get("/surveys").status_code == 303
    assert other.get("/surveys").status_code == 200


def test_revoking_a_token_ends_its_sessions(service: Service) -> None:
    admin, analyst = Visitor(service, "admin"), Visitor(service, "analyst")
    held = next(one for one in service.state.tokens.list() if one.role == "analyst")
    revoke = f"/settings/tokens/{held.id}/revoke"
    assert "Revoke the token of analyst?" in admin.post(revoke).text
    assert analyst.get("/surveys").status_code == 200
    assert admin.post(revoke, confirm=held.id).status_code == 303
    assert analyst.get("/surveys").status_code == 303


def test_after_signing_in_people_stay_on_this_server(service: Service) -> None:
    for wanted in ("https://elsewhere.example", "//elsewhere.example", "/\\elsewhere.example"):
        code = service.bearer("admin")["Authorization"].removeprefix("Bearer ")
        response = service.client.post(
            "/sign-in", data={"code": code, "next": wanted}, follow_redirects=False
        )
        assert response.headers["location"] == "/surveys"


def test_pages_run_nothing_that_is_not_ours(service: Service) -> None:
    service.open()
    admin = Visitor(service, "admin")
    for path in (*PAGES, f"/surveys/{SURVEY.name}", "/surveys/nothing", "/docs", "/sign-in?code=x"):
        response = admin.get(path)
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        markup = re.sub(r"<code>[^<]*</code>", "", response.text)  # text to copy
        assert not re.search(r"<script(?![^>]*src=)|\son[a-z]+=|style=|https?://", markup)


def test_assets_are_kept_for_good_and_never_stale(service: Service) -> None:
    for name in (*OWN, PLOTLY):
        response = service.client.get(asset_url(name))
        assert response.status_code == 200
        assert "immutable" in response.headers["cache-control"]
    stale = service.client.get("/static/0123456789abcdef/style.css")
    assert stale.status_code == 404


def test_refused_reports_are_counted_by_reason(service: Service) -> None:
    live, device = service.open(), service.enrol()
    report = any_report(live, device.device)
    changed = report[:-1] + bytes([1 - report[-1]])
    for body in (
        report_body("week1", report),
        report_body("week1", report),
        report_body("week1", changed),
        report_body("gone", report),
        {"round": "week1", "report": "xx"},
    ):
        service.send(device, body)
    assert service.state.metrics.outcomes(SURVEY.name) == {
        "accepted": 1, "duplicate": 1, "conflict": 1, "closed": 1, "malformed": 1,
    }  # fmt: skip
    shown = Visitor(service, "analyst").get(f"/surveys/{SURVEY.name}").text
    for words in ("the device sent another report before", "the round was not open"):
        assert words in shown


def test_names_are_written_as_text(service: Service) -> None:
    admin = Visitor(service, "admin")
    response = admin.post("/settings/tokens", name="<script>alert(1)</script>", role="analyst")
    assert response.status_code == 200
    assert "<script>alert" not in response.text
    assert "&lt;script&gt;alert" in response.text


def test_the_claim_signs_its_admin_in(serve: Start) -> None:
    service = serve()
    for token in service.state.tokens.list():
        service.state.tokens.revoke(token.id)
    code = service.state.tokens.claim_code()
    response = service.client.post("/claim", data={"code": code})
    assert response.status_code == 200
    assert "hmy_" in response.text
    assert service.client.get("/settings", follow_redirects=False).status_code == 200
    assert service.client.post("/claim", data={"code": code}).status_code == 401


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_survey_of_many_attributes_has_pages(service: Service) -> None:
    many = hm.Survey("many", [hm.Boolean(f"setting {n}") for n in range(120)], epsilon=1.0)
    live, device = service.open(survey=many), service.enrol()
    service.send(device, report_body("week1", any_report(live, device.device)), "many")
    analyst = Visitor(service, "analyst")
    first, last = analyst.get("/surveys/many").text, analyst.get("/surveys/many?page=3").text
    assert "setting 49<" in first
    assert "setting 50<" not in first
    assert "setting 119<" in last
    assert analyst.get("/surveys/many?page=0").status_code == 422
    shown = first + analyst.get("/surveys/many?page=2").text + last
    assert shown.count("<span>1 answer</span>") == 1
    assert shown.count("was asked about this") == 119
    assert "unknown" not in shown


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"name": ""}, "must be 1 to 100 letters"),
        ({"epsilon": "much"}, "&#39;epsilon&#39; must be a number"),
        ({"epsilon": "nan"}, "&#39;epsilon&#39; must be a number"),
        ({"devices": "0"}, "&#39;devices&#39; must lie between"),
        ({"devices": "1e400"}, "&#39;devices&#39; must be a number"),
        ({"attribute_kind": "colour"}, "&#39;kind&#39; must be one of"),
        ({"attribute_name": ""}, "attribute 1: &#39;name&#39; is missing"),
        ({"attribute_kind": "bins", "attribute_bins": "inf"}, "must be a number"),
        ({"attribute_kind": "categorical", "attribute_values": "one"}, "at least two values"),
        ({"label": "a round"}, "has odd characters"),
        ({"every": "1"}, "&#39;every&#39; must be an integer from 2"),
        ({"every": "2.5"}, "&#39;every&#39; must be an integer from 2"),
        ({"every": "often"}, "&#39;every&#39; must be a number"),
        ({"memory": "0.5"}, "&#39;memory&#39; must be more than &#39;epsilon&#39;"),
        ({"retention_days": "1e3"}, "must be whole days from 0 to 3,650"),
        ({"wish": "without-x", "epsilon": "x"}, "must be a number"),
    ],
)
def test_a_bad_form_comes_back_with_what_is_wrong(
    service: Service, form: dict[str, str], said: str
) -> None:
    good = {
        "name": "phones", "epsilon": "1", "devices": "1000", "schedule": "", "label": "",
        "attribute_name": "battery", "attribute_kind": "mean", "attribute_low": "0",
        "attribute_high": "100", "attribute_bins": "10", "attribute_values": "",
        "retention_days": "30", "wish": "create",
    }  # fmt: skip
    response = Visitor(service, "admin").post("/new-survey", **good | form)
    assert response.status_code == 422
    assert said in response.text
    assert "phones" not in service.state.catalogue.surveys


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_the_form_asks_over_time_and_its_plan_says_what_a_round_hears(service: Service) -> None:
    form = {
        "name": "weekly", "epsilon": "1", "devices": "100000", "schedule": "weekly", "label": "",
        "attribute_name": "wifi", "attribute_kind": "boolean", "retention_days": "30",
        "every": "4", "memory": "2", "wish": "plan",
    }  # fmt: skip
    admin = Visitor(service, "admin")
    planned = admin.post("/new-survey/plan", **form).text
    assert "in a round, which hears a quarter of them" in planned
    assert "Each round hears a quarter of the devices, about 25,000" in planned
    assert "A device answers one of every 4." in planned
    assert "if the answer never changes, and up to" in planned
    admin.post("/new-survey", **form | {"wish": "create"})
    survey = service.state.catalogue.surveys["weekly"].survey
    assert survey.every == 4
    assert survey.memory is not None


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@pytest.mark.parametrize("row", ["1", "9" * 5000, "\N{ARABIC-INDIC DIGIT ZERO}"])
def test_a_row_that_is_not_there_cannot_be_left_out(service: Service, row: str) -> None:
    form = {"attribute_name": "battery", "attribute_kind": "mean", "wish": f"without-{row}"}
    response = Visitor(service, "admin").post("/new-survey", **form)
    assert response.status_code == 200
    assert "battery" in response.text


def test_a_stream_ends_when_the_server_does(tmp_path: Path) -> None:
    place = str(tmp_path / "harmony.db")
    with ServerProcess(place, tmp_path / "log", drain_seconds=10 * STUCK_SECONDS) as server:
        state = ServiceState(Settings.load(database=place))
        cookie = Sessions(state.tokens).sign_in(state.tokens.create("Ada", "admin")[0])
        state.database.close()
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=STUCK_SECONDS)
        connection.request("GET", "/live", headers={"Cookie": f"{COOKIE}={cookie}"})
        stream = connection.getresponse()
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert stream.readline() == b"retry: 2000\n"
        stream.readline()
        assert stream.readline().startswith(b"data: ")
        assert server.stop() == 0  # long before the time that requests may take to end


def test_the_settings_of_an_exploration_speak_of_an_exploration(service: Service) -> None:
    create_exploration(service)
    admin = Visitor(service, "admin")
    shown = admin.get(f"/trainings/{WORDS.name}/settings").text
    assert "Delete this exploration" in shown
    assert f'href="/explorations/{WORDS.name}"' in shown
    asked = admin.post(f"/trainings/{WORDS.name}/delete").text
    assert f"Delete the exploration {WORDS.name}?" in asked
    gone = admin.post(f"/trainings/{WORDS.name}/delete", confirm=WORDS.name)
    assert gone.headers["location"] == "/explorations"
