"""Be a device, end to end: a browser answers, shows all that it did, forgets, and is a crowd."""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import harmony as hm
from harmony.demo.revealed import read_report

from .conftest import signed_in
from .site import SURVEY, Site, started
from .test_accessibility import PHONE, serious

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ADDRESS = f"/be-a-device/{SURVEY.name}"
ROUND = "you"
RANGES = hm.Survey(
    "ranges",
    [
        hm.Categorical("many", [f"value {number}" for number in range(500)]),
        hm.Integer("sims", 0, 2),
        hm.Numeric("age", 0, 90, bins=[0, 30, 60, 90]),
    ],
    tiers=[0.5, 4.0],
    answers=2,
)
"""What the fleet's survey has not: many values, bins, tiers, several answers a report."""


@pytest.fixture(scope="module")
def site(browser: Browser) -> Iterator[Site]:
    """A server that lets browsers be devices of two surveys."""
    with tempfile.TemporaryDirectory() as folder:
        site = started(Path(folder), be_a_device=True)
        try:
            for survey in (SURVEY, RANGES):
                site.call("POST", "/v1/surveys", survey.to_document())
                site.call("POST", f"/v1/surveys/{survey.name}/rounds", {"label": ROUND})
            yield site
        finally:
            assert site.server.stop() == 0


def opened(page: Page, site: Site, survey: hm.Survey = SURVEY) -> Page:
    page.goto(f"{site.url}/be-a-device/{survey.name}")
    page.locator("body[data-ready]").wait_for()
    return page


def answered(page: Page) -> bytes:
    """Press the button, and return the report that the page says it sent."""
    page.get_by_role("button", name="Answer").click()
    page.get_by_text("The server has it").wait_for()
    lines = page.locator("#bytes").inner_text().splitlines()
    return bytes.fromhex("".join(line.partition("   ")[0].replace(" ", "") for line in lines))


def reports(site: Site, survey: hm.Survey = SURVEY) -> int:
    found = site.call("GET", f"/v1/surveys/{survey.name}/rounds/{ROUND}/estimates")
    return int(found["reports"])


def the_round(site: Site, survey: hm.Survey) -> hm.Round:
    (found,) = site.call("GET", f"/v1/surveys/{survey.name}/rounds")["rounds"]
    return hm.Round(ROUND, bytes.fromhex(found["seed"]))


def test_a_browser_answers_and_shows_what_it_did(page: Page, site: Site) -> None:
    before, posted = reports(site), []
    page.on("request", lambda one: posted.append(one.post_data or ""))
    opened(page, site)
    assert "has proved, in integers" in page.locator("#proof").inner_text()
    page.get_by_label("battery use", exact=True).fill("87.625")
    page.get_by_label("maker").select_option("Hazel")
    report = answered(page)
    assert reports(site) == before + 1
    (revealed,) = read_report(SURVEY, the_round(site, SURVEY), report)
    assert page.locator("#questions .picked").all_inner_texts() == [revealed.attribute]
    assert f"it picked {revealed.attribute}" in page.locator("#coin").inner_text()
    symbol, _, yours, span = page.locator("tr.sent").locator("th, td").all_inner_texts()
    assert symbol == f"{revealed.symbol}, sent"
    low, high = (float(one.strip(" %")) / 100 for one in span.split(".."))
    assert math.isclose(low, revealed.least, abs_tol=1e-3)
    assert math.isclose(high, revealed.most, abs_tol=1e-3)
    assert low - 1e-3 <= float(yours.strip("%")) / 100 <= high + 1e-3
    entry = page.locator("#ledger tr").inner_text()
    assert re.search(rf"{ROUND}\s+{revealed.attribute}\s+1\s+accepted", entry)
    assert not any("87.6" in sent or "Hazel" in sent for sent in posted), "a value left the page"


def test_the_chances_add_up_to_one(page: Page, site: Site) -> None:
    opened(page, site)
    answered(page)
    shown = page.locator(".chances tbody td:nth-child(3)").all_inner_texts()
    assert math.isclose(sum(float(one.strip("%")) for one in shown), 100, abs_tol=1.0)


def test_a_round_is_answered_once_and_another_device_may(page: Page, site: Site) -> None:
    before = reports(site)
    opened(page, site)
    first = answered(page)
    assert page.get_by_role("button", name="Answer").is_disabled()
    opened(page, site)
    assert page.locator("#ledger tr").count() == 1, "a reload forgets nothing"
    assert page.get_by_role("button", name="Answer").is_disabled()
    page.get_by_role("button", name="Be another device").click()
    page.get_by_text("A new device").wait_for()
    second = answered(page)
    assert first[:16] != second[:16]
    assert reports(site) == before + 2


def test_forgetting_takes_the_report_back(page: Page, site: Site) -> None:
    before = reports(site)
    opened(page, site)
    answered(page)
    page.get_by_role("button", name="Forget me").click()
    page.get_by_text("Deleted, here and at the server").wait_for()
    assert reports(site) == before
    assert page.locator("#ledger tr").count() == 1, "what was spent stays spent"


def test_a_crowd_moves_the_estimate_on_the_dashboard(
    open_page: Callable[..., Page], site: Site
) -> None:
    page = opened(open_page(), site)
    page.get_by_label("theme").select_option("auto")
    dashboard = signed_in(open_page(), site, site.admin)
    dashboard.goto(f"{site.url}/surveys/{SURVEY.name}")
    dashboard.locator("main[data-connected=yes]").wait_for()
    before = reports(site)
    page.get_by_role("button", name="100 devices").click()
    page.get_by_text("100 of 100 devices accepted").wait_for(timeout=120_000)
    assert reports(site) == before + 100
    dashboard.locator("#reports", has_text=f"{before + 100}").wait_for()


def test_many_values_bins_tiers_and_two_answers_are_shown(page: Page, site: Site) -> None:
    opened(page, site, RANGES)
    page.get_by_label("many").select_option("value 321")
    report = answered(page)
    first, second = read_report_of(RANGES, site, report)
    assert page.locator("#questions .picked").count() == 2
    sent = page.locator("tr.sent th").all_inner_texts()
    assert sent == [f"{first}, sent", f"{second}, sent"]
    assert "tier: epsilon 4" in page.locator("#bytes").inner_text()


def read_report_of(survey: hm.Survey, site: Site, report: bytes) -> list[int]:
    """Return the symbols of a report in the survey's second tier."""
    assert report[16] == 1
    size = survey.symbol_bytes
    return [
        int.from_bytes(report[17 + place * size : 17 + (place + 1) * size], "little")
        for place in range(survey.answers)
    ]


def test_a_closed_round_is_said_so(page: Page, site: Site) -> None:
    empty = hm.Survey("empty", [hm.Boolean("wifi")], epsilon=1.0)
    site.call("POST", "/v1/surveys", empty.to_document())
    opened(page, site, empty)
    assert "No round of this survey is open" in page.get_by_role("alert").inner_text()
    assert page.get_by_role("button", name="Answer").is_disabled()


def test_axe_finds_nothing_serious(open_page: Callable[..., Page], site: Site) -> None:
    page = open_page(bypass_csp=True)  # axe is injected into the page
    for survey in (SURVEY, RANGES):
        opened(page, site, survey)
        assert serious(page) == []
        answered(page)
        assert serious(page) == []


def test_a_phone_need_not_scroll_aside(open_page: Callable[..., Page], site: Site) -> None:
    page = opened(open_page(viewport=PHONE), site)
    answered(page)
    width: Any = page.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"]


def test_without_scripts_the_page_says_what_it_needs(
    open_page: Callable[..., Page], site: Site
) -> None:
    page = open_page(java_script_enabled=False)
    page.goto(site.url + ADDRESS)
    assert page.get_by_text("this page needs JavaScript").is_visible()


def test_an_ordinary_server_has_no_such_page(browser: Browser) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ordinary = started(Path(folder))
        try:
            ordinary.call("POST", "/v1/surveys", SURVEY.to_document())
            page = browser.new_page()
            response = page.goto(ordinary.url + ADDRESS)
            assert response is not None
            assert response.status == 404
            assert page.get_by_text("see the setting 'be_a_device'").is_visible()
            page.close()
        finally:
            ordinary.server.stop()
