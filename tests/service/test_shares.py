"""Shared views: read by whoever has the link, nothing else, and gone when their time is over."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select, text

from harmony.service import schema
from harmony.service.dashboard.recent import FRESH_SECONDS, Recent
from harmony.service.settings import Settings
from harmony.service.shares import DAY, MOST_SHARES
from harmony.service.state import ServiceState

from .conftest import SURVEY, Service
from .devices import any_report, report_body
from .old_databases import take_back_strata
from .test_dashboard import Visitor

Start = Callable[..., Service]
PATH = f"/v1/surveys/{SURVEY.name}/shares"


def answered(service: Service) -> None:
    """Open a round that some devices answer."""
    live = service.open()
    for _ in range(3):
        device = service.enrol()
        assert service.send(
            device, report_body("week1", any_report(live, device.device))
        ).is_success


def share(service: Service, headers: dict[str, str] | None = None, **wanted: Any) -> Any:
    body = {"name": "the board"} | wanted
    made = service.client.post(PATH, json=body, headers=headers or service.admin)
    assert made.status_code == 201, made.text
    return made.json()


def local(link: str) -> str:
    """Return a link's path and query."""
    return "/" + link.split("/", 3)[3]


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_link_shows_the_results_to_whoever_has_it(service: Service) -> None:
    answered(service)
    made = share(service)
    page = service.client.get(local(made["link"]))
    assert page.status_code == 200
    for attribute in SURVEY.attributes:
        assert attribute.name in page.text
    assert '<form method="post"' not in page.text
    assert "csrf" not in page.text
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["x-robots-tag"] == "noindex"
    estimates = service.client.get(local(made["link"]).replace("/shared?", "/shared.json?")).json()
    assert estimates["reports"] == 3
    table = service.client.get(local(made["link"]).replace("/shared?", "/shared.csv?"))
    assert table.headers["content-type"].startswith("text/csv")


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_link_before_the_first_round_says_so(service: Service) -> None:
    service.state.catalogue.add(SURVEY, None)
    link = local(share(service)["link"])
    assert "No round yet" in service.client.get(link).text
    assert service.client.get(link.replace("/shared?", "/shared.json?")).status_code == 404
    service.open()
    assert service.client.get(f"{link}&round=week9").status_code == 404


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_its_code_opens_nothing_else(service: Service) -> None:
    answered(service)
    code = share(service)["link"].rpartition("=")[2]
    headers = {"Authorization": f"Bearer {code}"}
    for path in ("estimates", "tally", "reports.parquet"):
        at = f"/v1/surveys/{SURVEY.name}/rounds/week1/{path}"
        assert service.client.get(at, headers=headers).status_code == 401
    cookie = {"Cookie": f"harmony_session={code}"}
    response = service.client.get("/surveys", headers=cookie, follow_redirects=False)
    assert response.status_code == 303
    assert service.client.get(f"/embed?code={code}").status_code == 404
    assert service.client.post(f"/shared?code={code}").status_code == 405


def test_only_its_hash_is_in_the_database(service: Service) -> None:
    service.open()
    secret = share(service)["link"].rpartition("=")[2].split("_", 2)[2]
    with service.state.database.read() as connection:
        stored = [
            repr(connection.execute(select(table)).all())
            for table in (schema.shares, schema.activity)
        ]
    assert secret not in "".join(stored)


def test_a_revoked_link_is_gone_at_once_also_for_other_servers(service: Service) -> None:
    answered(service)
    made = share(service)
    other = ServiceState(Settings.load(database=service.state.settings.database))
    code = made["link"].rpartition("=")[2]
    assert other.shares.opened(code)[0].id == made["id"]
    assert service.client.get(local(made["link"])).status_code == 200
    gone = service.client.delete(f"{PATH}/{made['id']}", headers=service.admin)
    assert gone.status_code == 204
    page = service.client.get(local(made["link"]))
    assert page.status_code == 404
    assert "expired, or was revoked" in page.text
    with pytest.raises(Exception, match="expired, or was revoked"):
        other.shares.opened(code)
    other.database.close()
    assert service.client.get(PATH, headers=service.admin).json() == {"shares": []}
    assert service.client.delete(f"{PATH}/{made['id']}", headers=service.admin).status_code == 404


def test_a_link_expires_and_is_forgotten(serve: Start) -> None:
    now = [1_000_000.0]
    service = serve(clock=lambda: now[0])
    service.open()
    link = local(share(service, days=2)["link"])
    now[0] += 2 * DAY - 1
    assert service.client.get(link).status_code == 200
    now[0] += 1
    assert service.client.get(link).status_code == 404
    assert service.client.get(PATH, headers=service.admin).json() == {"shares": []}
    share(service)
    with service.state.database.read() as connection:
        assert len(connection.execute(select(schema.shares)).all()) == 1


def test_a_survey_takes_its_links_along(service: Service) -> None:
    service.open()
    link = local(share(service)["link"])
    path = f"/v1/surveys/{SURVEY.name}"
    service.client.delete(path, params={"confirm": SURVEY.name}, headers=service.admin)
    assert service.client.get(link).status_code == 404
    service.client.post("/v1/surveys", json=SURVEY.to_document(), headers=service.admin)
    assert service.client.get(link).status_code == 404
    assert service.client.get(PATH, headers=service.admin).json() == {"shares": []}


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_analysts_share_and_revoke_their_own(service: Service) -> None:
    service.open()
    analyst = service.bearer("analyst")
    mine, other = share(service, analyst, name="press"), share(service)
    assert service.client.delete(f"{PATH}/{other['id']}", headers=analyst).status_code == 403
    assert service.client.delete(f"{PATH}/{mine['id']}", headers=analyst).status_code == 204
    for role in ("gateway", "enrol"):
        headers = service.bearer(role)
        assert service.client.get(PATH, headers=headers).status_code == 403
        assert service.client.post(PATH, json={"name": "x"}, headers=headers).status_code == 403
    entries = service.client.get("/v1/activity", headers=service.admin).json()["activity"]
    acts = [(one["act"], one["who"], one["subject"]) for one in entries if "shared" in one["act"]]
    assert acts == [
        ("shared view revoked", "analyst", SURVEY.name),
        ("view shared", "admin", SURVEY.name),
        ("view shared", "analyst", SURVEY.name),
    ]


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"days": 0}, "days"),
        ({"days": 367}, "days"),
        ({"attribute": "nothing"}, "attribute"),
        ({"attribute": ""}, "attribute"),
        ({"write": True}, "write"),
    ],
)
def test_what_cannot_be_shared_is_refused_by_name(
    service: Service, wanted: dict[str, Any], field: str
) -> None:
    service.open()
    body = {"name": "the board"} | wanted
    response = service.client.post(PATH, json=body, headers=service.admin)
    assert response.status_code == 422
    assert field in response.json()["detail"]


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    "code", ["", "x", "hmy_", "hmy_0_0", "hmy_%00%00_x", "hmy_" + "0" * 16 + "_x"]
)
def test_a_code_that_is_none_shows_nothing(service: Service, code: str) -> None:
    for page in ("shared", "shared.json", "shared.csv", "embed"):
        assert service.client.get(f"/{page}?code={code}").status_code == 404


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_guessed_secret_does_not_open_a_link(service: Service) -> None:
    service.open()
    link = local(share(service)["link"])
    assert service.client.get(link[:-1] + ("A" if link[-1] != "A" else "B")).status_code == 404


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_chart_may_be_embedded_and_only_it(service: Service) -> None:
    answered(service)
    page = service.client.get(local(share(service, attribute="theme")["link"]))
    assert page.status_code == 200
    assert "frame-ancestors *" in page.headers["content-security-policy"]
    assert "x-frame-options" not in page.headers
    assert "theme" in page.text
    assert "battery" not in page.text
    assert "<form" not in page.text


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_chart_waits_for_answers_and_shows_the_newest_round_that_has_some(
    service: Service,
) -> None:
    service.open()
    link = local(share(service, attribute="theme")["link"])
    assert "Waiting for the first report" in service.client.get(link).text
    assert service.client.get(link.replace("/embed?", "/shared?")).status_code == 404
    live = service.state.catalogue.round(SURVEY.name, "week1").live
    device = service.enrol()
    service.send(device, report_body("week1", any_report(live, device.device)))
    service.state.catalogue.close(SURVEY.name, "week1")
    service.state.catalogue.open(SURVEY.name, "week2")
    newer = local(share(service, attribute="theme")["link"])
    assert "round week1" in service.client.get(newer).text


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_chart_that_is_gone_says_so_inside_its_frame(service: Service) -> None:
    response = service.client.get("/embed?code=gone")
    assert response.status_code == 404
    assert "frame-ancestors *" in response.headers["content-security-policy"]
    assert "expired, or was revoked" in response.text


def test_a_page_is_written_once_in_a_while_however_many_look() -> None:
    now, times = [0.0], [0]

    def write() -> str:
        times[0] += 1
        return f"page {times[0]}"

    recent = Recent[str](lambda: now[0])
    assert {recent.get("one", write) for _ in range(10)} == {"page 1"}
    assert recent.get("two", write) == "page 2"
    now[0] += FRESH_SECONDS
    assert recent.get("one", write) == "page 3"


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_strangers_have_the_limit_of_their_address(serve: Start) -> None:
    service = serve(address_rate=0.01, address_burst=2)
    responses = [service.client.get("/shared?code=hmy_0_0").status_code for _ in range(3)]
    assert responses == [404, 404, 429]


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_there_are_only_so_many_links(service: Service) -> None:
    service.open()
    entry = service.state.catalogue.survey(SURVEY.name)
    with service.state.database.write() as connection:
        row = {"survey": entry.id, "attribute": None, "name": "x", "digest": bytes(32), "token": "",
               "who": "", "created": 0.0, "expires": 1e12}  # fmt: skip
        many = [row | {"id": f"{number:016x}"} for number in range(MOST_SHARES)]
        connection.execute(schema.shares.insert(), many)
    response = service.client.post(PATH, json={"name": "one more"}, headers=service.admin)
    assert response.status_code == 409


def test_a_database_without_shares_goes_on_and_gets_them(place: str) -> None:
    state = ServiceState(Settings.load(database=place))
    state.catalogue.add(SURVEY, None)
    state.catalogue.open(SURVEY.name, "week1")
    with state.database.write() as connection:  # as version 0006 left it
        take_back_strata(connection)
        connection.execute(text("DROP TABLE shares"))
        connection.execute(text("UPDATE alembic_version SET version_num = '0006'"))
    state.database.close()
    state = ServiceState(Settings.load(database=place))
    entry = state.catalogue.survey(SURVEY.name)
    assert list(entry.rounds) == ["week1"]
    token = state.tokens.create("Ada", "admin")[1]
    code, made = state.shares.create(entry, None, "the board", 30, token)
    assert state.shares.opened(code) == (made, entry)
    state.database.close()


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_the_page_of_links_makes_lists_and_revokes(service: Service) -> None:
    answered(service)
    page = f"/surveys/{SURVEY.name}/share"
    assert service.client.get(page, follow_redirects=False).status_code == 303
    grace = Visitor(service, "analyst")
    nasty = "<b>press</b>"
    made = grace.post(page, name=nasty, days="7", attribute="wifi")
    assert made.status_code == 200
    assert nasty not in made.text
    assert "&lt;iframe src=" in made.text
    link = re.search(r"/embed\?code=hmy_[0-9a-f]{16}_[\w-]{43}", made.text)
    assert link
    assert service.client.get(link[0]).status_code == 200
    (listed,) = grace.get(f"{page}.json").json()["shares"]
    assert (listed["name"], listed["attribute"], listed["made_by"]) == (nasty, "wifi", "analyst")
    assert link[0].rpartition("=")[2] not in grace.get(page).text
    assert "wifi" in grace.get(f"{page}.csv").text
    revoke = f"{page}/{listed['id']}/revoke"
    assert "This cannot be undone" in grace.post(revoke).text
    assert service.client.get(link[0]).status_code == 200
    assert grace.post(revoke, confirm=listed["id"]).status_code == 303
    assert service.client.get(link[0]).status_code == 404
    for form, field in (({"name": ""}, "name"), ({"name": "x", "days": "9999"}, "days")):
        refused = grace.post(page, **form)
        assert refused.status_code == 422
        assert f"&#39;{field}&#39;" in refused.text


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_pages_are_compressed_where_the_browser_takes_that(service: Service) -> None:
    answered(service)
    link = local(share(service)["link"])
    plain = service.client.get(link, headers={"Accept-Encoding": "identity"})
    packed = service.client.get(link, headers={"Accept-Encoding": "gzip, br"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert plain.headers["vary"] == packed.headers["vary"] == "Accept-Encoding"
    assert packed.text == plain.text
    assert int(packed.headers["content-length"]) < len(plain.content) / 2
