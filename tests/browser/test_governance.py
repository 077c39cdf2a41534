"""What a privacy officer and a careless admin do, in a real browser against a real server."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

import harmony as hm
from tests.service.waiting import wait_until

from .conftest import drawn, next_page, signed_in
from .site import SURVEY, Site
from .test_accessibility import PHONE, serious

if TYPE_CHECKING:
    from playwright.sync_api import Page

NASTY = "<img src=x onerror=alert(1)> Did you sleep **well**?"
HEBREW = "כמה שעות ישנת בלילה האחרון?"
ASKED = hm.Survey(
    "sleep",
    [
        hm.Boolean("rested", question=NASTY),
        hm.Numeric("hours", 0, 14, question=HEBREW),
        hm.Integer("score", 0, 120, question="x" * 400),
    ],
    epsilon=1.0,
    purpose="To see whether reminders to put the phone away help people sleep.",
)


@pytest.fixture(scope="module", autouse=True)
def published(site: Site) -> None:
    """A survey with a public page and an open round, and a training with a public page."""
    site.call("POST", "/v1/surveys?schedule=hourly&public=true", ASKED.to_document())
    wait_until(
        lambda: site.call("GET", "/v1/surveys/sleep/rounds")["rounds"],
        "the schedule to open a round",  # later, its page would be loaded again under a test
    )
    site.live_training(devices=1_000)
    site.call("PATCH", "/v1/trainings/system-errors/settings", {"public": True})


def throwaway(site: Site, name: str) -> hm.Survey:
    """A survey with a closed and an open round, to be deleted."""
    survey = hm.Survey(name, SURVEY.attributes, epsilon=1.0)
    site.call("POST", "/v1/surveys", survey.to_document())
    for label in ("first", "second"):
        site.call("POST", f"/v1/surveys/{name}/rounds", {"label": label})
        site.report(survey, label, 50, first=0, seed=1)
        if label == "first":
            site.call("POST", f"/v1/surveys/{name}/rounds/{label}/close")
    return survey


def test_anyone_reads_the_public_page_and_its_json(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/about/sleep")
    assert page.get_by_role("heading", level=1).inner_text().startswith("What sleep asks")
    text = page.locator("main").inner_text()
    assert NASTY in text  # as text: the page ran nothing, or the test would fail for it
    assert ASKED.purpose is not None
    assert ASKED.purpose in text
    assert ASKED.fingerprint in text
    assert "Every table keeps its promise." in text
    right = page.get_by_text(HEBREW)
    assert right.evaluate("one => getComputedStyle(one).direction") == "rtl"
    address = page.get_by_role("link", name="as JSON").get_attribute("href")
    about = page.request.get(f"{site.url}{address}").json()
    shown = page.locator("table.proof tbody tr").all()
    assert len(shown) == len(about["proof"]["tables"]) == 3
    for row, one in zip(shown, about["proof"]["tables"], strict=True):
        cells = row.locator("th, td").all_inner_texts()
        assert cells[2:5] == [str(one["largest"]), str(one["smallest"]), f"{one['epsilon']:.16f}"]
        assert one["largest"] * 2**128 <= int(one["floor"]) * one["smallest"]
    assert page.get_by_role("link", name="Surveys").count() == 0  # nobody is signed in


def test_a_page_that_is_not_public_leads_nowhere(page: Page, site: Site) -> None:
    answer = page.goto(f"{site.url}/about/{SURVEY.name}")
    assert answer is not None
    assert answer.status == 404


def test_the_public_page_prints_without_its_frame(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/about/sleep")
    page.emulate_media(media="print")
    assert not page.locator("header.top").is_visible()
    assert not page.locator("footer").is_visible()
    assert page.locator("table.proof").is_visible()
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    page.set_viewport_size({"width": 700, "height": 1000})  # about what A4 has
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 700


def test_axe_finds_nothing_serious(open_page: Callable[..., Page], site: Site) -> None:
    throwaway(site, "axe")
    page = open_page(bypass_csp=True)
    for path in ("/about/sleep", "/about/system-errors"):
        page.goto(site.url + path)
        assert serious(page) == [], path
    signed_in(page, site, site.admin)
    for path in (
        "/about/sleep", "/surveys/sleep", "/surveys/sleep/settings", "/activity", "/devices",
        "/trainings/system-errors/settings",
    ):  # fmt: skip
        drawn(page, site.url + path)
        assert serious(page) == [], path
    page.goto(f"{site.url}/surveys/axe/settings")
    page.get_by_role("button", name="Delete axe").click()
    page.get_by_text("This cannot be undone.").wait_for()
    assert serious(page) == []
    page.get_by_label("to confirm").fill("wrong")
    page.get_by_role("button", name="Delete the survey").click()
    page.get_by_role("alert").wait_for()
    assert serious(page) == []


def test_a_phone_shows_every_page_without_scrolling_aside(
    open_page: Callable[..., Page], site: Site
) -> None:
    page = open_page(viewport=PHONE, has_touch=True)
    paths = ["/about/sleep", "/about/system-errors"]
    signed = [
        "/surveys/sleep", "/surveys/sleep/settings", "/activity", "/devices", "/surveys",
        "/trainings/system-errors/settings",
    ]  # fmt: skip
    for path in [*paths, "sign in", *signed]:
        if path == "sign in":
            signed_in(page, site, site.admin)
            continue
        drawn(page, site.url + path)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= PHONE["width"], path


def test_a_survey_is_deleted_only_when_its_name_is_typed(as_admin: Page, site: Site) -> None:
    page = as_admin
    throwaway(site, "mistake")
    page.goto(f"{site.url}/surveys/mistake")
    page.get_by_role("link", name="Survey settings").click()
    page.get_by_role("button", name="Delete mistake").click()
    page.get_by_text("Its 2 rounds go").wait_for()
    page.get_by_role("link", name="Back, without doing it").click()
    page.wait_for_url("**/surveys/mistake/settings")
    page.get_by_role("button", name="Delete mistake").click()
    page.get_by_label("to confirm").fill("Mistake")
    page.get_by_role("button", name="Delete the survey").click()
    assert "Nothing was done" in page.get_by_role("alert").inner_text()
    assert "mistake" in json.dumps(site.call("GET", "/v1/surveys"))
    page.get_by_label("to confirm").fill("mistake")
    page.get_by_role("button", name="Delete the survey").click()
    page.wait_for_url("**/surveys")
    assert page.get_by_role("link", name="mistake").count() == 0
    page.get_by_role("link", name="Activity").click()
    page.wait_for_url("**/activity")
    first = page.locator("table.acts tbody tr").first
    assert first.locator("td").all_inner_texts()[1:4] == ["Ada", "survey deleted", "mistake"]


def test_a_round_is_deleted_only_when_its_label_is_typed(as_admin: Page, site: Site) -> None:
    page = as_admin
    throwaway(site, "rounds")
    page.goto(f"{site.url}/surveys/rounds/settings")
    page.get_by_role("button", name="Delete round second").click()
    page.get_by_text("It is open: it closes now.").wait_for()
    page.get_by_label("to confirm").fill("second")
    page.get_by_role("button", name="Delete the round").click()
    page.wait_for_url("**/surveys/rounds/settings")
    assert page.get_by_role("button", name="Delete round second").count() == 0
    rounds = site.call("GET", "/v1/surveys/rounds/rounds")["rounds"]
    assert [one["label"] for one in rounds] == ["first"]


def test_a_round_closes_only_when_that_is_confirmed(as_admin: Page, site: Site) -> None:
    page = as_admin
    throwaway(site, "closing")
    page.goto(f"{site.url}/surveys/closing")
    page.get_by_role("button", name="Close round second").click()
    page.get_by_text("it never opens again").wait_for()
    assert site.call("GET", "/v1/surveys/closing/rounds")["rounds"][-1]["closed"] is None
    page.get_by_role("button", name="Close round second").click()
    page.wait_for_url("**/surveys/closing")
    assert site.call("GET", "/v1/surveys/closing/rounds")["rounds"][-1]["closed"] is not None


def test_the_form_warns_of_what_one_person_spends(as_admin: Page, site: Site) -> None:
    page = as_admin
    page.goto(f"{site.url}/new-survey")
    page.get_by_label("Name").first.fill("often")
    page.locator("fieldset").get_by_label("Name").fill("wifi")
    page.locator("fieldset").get_by_label("Asks for").select_option("boolean")
    page.locator("fieldset").get_by_label("Question").fill("Is wifi on?")
    page.get_by_label("Purpose").fill("To plan the network.")
    plan = page.locator("#plan")
    plan.get_by_text("Rounds open by hand.").wait_for()
    assert plan.locator(".warning").count() == 0
    page.get_by_label("Rounds open").select_option("hourly")
    plan.get_by_text("up to epsilon 720").wait_for()
    assert "promises little" in plan.locator(".warning").inner_text()
    page.get_by_label("Rounds open").select_option("weekly")
    plan.get_by_text("up to epsilon 5").wait_for()
    assert plan.locator(".warning").count() == 0
    page.get_by_label("Epsilon").fill("2")
    plan.locator(".warning").wait_for()
    page.get_by_label("Keep reports, days").fill("0")
    page.get_by_label("A public page").check()
    page.get_by_role("button", name="Create survey").click()
    page.wait_for_url("**/surveys/often")
    # Its first round opens within seconds, and then the page is loaded again.
    page.get_by_role("heading", name="Waiting for the first report").wait_for()
    promised = page.locator("section", has=page.get_by_role("heading", name="What people are"))
    assert "up to epsilon 10" in promised.inner_text()
    assert "dropped when a round closes" in promised.inner_text()
    link = promised.get_by_role("link", name="The public page").get_attribute("href")
    assert link == "/about/often"
    page.goto(f"{site.url}{link}")
    assert "Is wifi on?" in page.locator("main").inner_text()
    settings = site.call("GET", "/v1/surveys/often/settings")
    assert settings["retention_days"] == 0
    assert settings["spending"]["epsilon_in_30_days"] == 10
    site.call("PATCH", "/v1/surveys/often/settings", {"schedule": None})


def test_a_shorter_retention_asks_first(as_admin: Page, site: Site) -> None:
    page = as_admin
    throwaway(site, "shorter")
    page.goto(f"{site.url}/surveys/shorter/settings")
    page.get_by_label("Days").fill("3")
    page.get_by_role("button", name="Save the days").click()
    page.get_by_text("for 3 days only?").wait_for()
    assert site.call("GET", "/v1/surveys/shorter/settings")["retention_days"] == 30
    with next_page(page):
        page.get_by_role("button", name="Keep them for a shorter time").click()
    assert site.call("GET", "/v1/surveys/shorter/settings")["retention_days"] == 3
    page.get_by_label("Days").fill("60")
    with next_page(page):
        page.get_by_role("button", name="Save the days").click()
    assert site.call("GET", "/v1/surveys/shorter/settings")["retention_days"] == 60
    page.get_by_label("Schedule, in UTC").select_option("monthly")
    with next_page(page):
        page.get_by_role("button", name="Save the schedule").click()
    settings = site.call("GET", "/v1/surveys/shorter/settings")
    assert (settings["schedule"], settings["retention_days"]) == ("monthly", 60)
    page.get_by_role("button", name="Publish the page").click()
    page.get_by_role("link", name="what is asked and what a report reveals").wait_for()
    assert site.call("GET", "/v1/surveys/shorter/settings")["public"] is True


def test_analysts_see_the_promise_and_cannot_settle_it(
    open_page: Callable[..., Page], site: Site
) -> None:
    page = signed_in(open_page(), site, site.analyst)
    page.goto(f"{site.url}/surveys/sleep")
    assert page.get_by_role("heading", name="What people are promised").is_visible()
    assert page.get_by_role("link", name="Settings").count() == 0
    for path in ("/surveys/sleep/settings", "/activity", "/activity.json", "/activity.csv"):
        answer = page.goto(site.url + path)
        assert answer is not None
        assert answer.status == 403
    page.goto(f"{site.url}/surveys/sleep")
    csrf = page.locator("input[name=csrf]").first.input_value()
    for path in ("/surveys/sleep/delete", "/surveys/sleep/settings"):
        form = {"csrf": csrf, "confirm": "sleep", "retention_days": "0"}
        assert page.request.post(site.url + path, form=form).status == 403
    assert site.call("GET", "/v1/surveys/sleep/settings")["retention_days"] == 30


def test_the_record_has_its_json_and_csv(as_admin: Page, site: Site) -> None:
    page = as_admin
    page.goto(f"{site.url}/activity")
    for kind, media_type in (("JSON", "application/json"), ("CSV", "text/csv")):
        address = page.get_by_role("link", name=kind).get_attribute("href")
        answer = page.request.get(f"{site.url}{address}")
        assert answer.status == 200
        assert answer.headers["content-type"].startswith(media_type)
        assert "survey created" in answer.text()
    for path in ("/surveys/sleep/settings", "/trainings/system-errors/settings"):
        page.goto(site.url + path)
        for kind in ("JSON", "CSV"):
            address = page.get_by_role("link", name=kind).get_attribute("href")
            assert page.request.get(f"{site.url}{address}").status == 200


def test_everything_works_without_scripts(open_page: Callable[..., Page], site: Site) -> None:
    throwaway(site, "plain")
    page = signed_in(open_page(java_script_enabled=False), site, site.admin)
    page.goto(f"{site.url}/surveys/plain/settings")
    page.get_by_role("button", name="Delete plain").click()
    page.get_by_label("to confirm").fill("plain")
    page.get_by_role("button", name="Delete the survey").click()
    page.wait_for_url("**/surveys")
    assert page.get_by_role("link", name="plain", exact=True).count() == 0
    page.goto(f"{site.url}/about/sleep")
    assert ASKED.fingerprint in page.locator("main").inner_text()
