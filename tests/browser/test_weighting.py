"""Weighting on the dashboard: a key of a stratum, the form with the shares, the weighted page."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

import harmony as hm
from tests.service.stratified import QUESTIONS, habits, packed_reports

from .conftest import drawn, signed_in
from .site import Site
from .test_accessibility import PHONE, serious

SIZES = {"1.x": 150, "2.x": 110, "beta": 4, "": 6}
PAGE = f"/surveys/{QUESTIONS.name}"
WEIGHTED = f"{PAGE}?round=week1&population=1.x:0.3&population=2.x:0.7&population=beta:0"


@pytest.fixture(scope="module")
def asked(site: Site) -> Site:
    """Devices of two versions, of a small one and of none have enrolled and reported."""
    site.call("POST", "/v1/surveys", QUESTIONS.to_document())
    opened = site.call("POST", f"/v1/surveys/{QUESTIONS.name}/rounds", {"label": "week1"})
    week = hm.Round("week1", bytes.fromhex(opened["seed"]))
    for place, (stratum, devices) in enumerate(SIZES.items()):
        body = {"name": f"builds {stratum}", "role": "enrol", "stratum": stratum or None}
        key = site.call("POST", "/v1/tokens", body)["token"]
        enrolled = [site.call("POST", "/v1/devices", {"key": key}) for _ in range(devices)]
        ids = [bytes.fromhex(one["device"]) for one in enrolled]
        people = habits(devices, shift=0.3 * place, seed=place)
        site.bring(QUESTIONS.name, packed_reports(QUESTIONS, week, ids, people))
    return site


def test_an_admin_makes_a_key_of_a_stratum(as_admin: Page, asked: Site) -> None:
    page = as_admin
    page.goto(f"{asked.url}/settings")
    page.get_by_label("For whom").fill("builds of version 3")
    page.get_by_label("Role").select_option("enrol")
    page.get_by_label("Stratum").fill("3.x")
    page.get_by_role("button", name="Make a token").click()
    page.get_by_role("heading", name="The token of builds of version 3").wait_for()
    expect(page.locator("tr", has_text="builds of version 3")).to_contain_text("3.x")


def test_shares_from_the_form_weigh_the_page_and_its_exports(as_admin: Page, asked: Site) -> None:
    page = as_admin
    page.goto(f"{asked.url}{PAGE}")
    page.locator("summary", has_text="Weigh to a population").click()
    rows = page.locator("form[action$='/weigh'] tbody tr")
    assert rows.count() == 3
    assert "56.8%" in rows.nth(0).inner_text()
    assert "too few: 0 leaves it out" in rows.nth(2).inner_text()
    for stratum, share in (("1.x", "30%"), ("2.x", "0.7"), ("beta", "0")):
        page.get_by_label(f"Share of {stratum} in the population").fill(share)
    page.get_by_role("button", name="Weigh").click()
    page.locator("#weighted").wait_for()
    page.locator("body[data-drawn]").wait_for()
    said = page.locator("#weighted").inner_text()
    assert "1.x 0.3 (150 reports), 2.x 0.7 (110 reports)" in said.replace("\n", " ")
    assert "10 reports are left out" in said
    assert page.locator("#reports").inner_text() == "260"
    path = f"/v1/surveys/{QUESTIONS.name}/rounds/week1/estimates"
    shares = "?population=1.x:0.3&population=2.x:0.7&population=beta:0"
    found = asked.call("GET", path + shares)
    chart = json.loads(page.locator("#chart-2").get_attribute("data-chart") or "")
    wifi = [row["estimate"] for row in found["estimates"] if row["attribute"] == "wifi"]
    assert sorted(chart["estimate"]) == sorted(wifi)
    assert found["strata"][0] == {"stratum": "1.x", "share": 0.3, "reports": 150}
    exported = page.locator(".exports a", has_text="JSON").get_attribute("href") or ""
    shown = page.evaluate("path => fetch(path).then((one) => one.json())", exported)
    for row, other in zip(shown["estimates"], found["estimates"], strict=True):
        assert row == pytest.approx(other)  # sums of the same shares, in another order
    with page.expect_download() as saved:
        page.locator(".exports a", has_text="CSV").click()
    assert saved.value.suggested_filename == f"{QUESTIONS.name}-week1-weighted.csv"
    page.get_by_role("link", name="Show it unweighted").click()
    page.locator("#reports", has_text="270").wait_for()
    assert page.locator("#weighted").count() == 0


def test_shares_that_are_wrong_say_what_to_do(as_admin: Page, asked: Site) -> None:
    page = as_admin
    page.goto(f"{asked.url}{PAGE}")
    page.locator("summary", has_text="Weigh to a population").click()
    for stratum, share in (("1.x", "0.3"), ("2.x", "0.6"), ("beta", "0")):
        page.get_by_label(f"Share of {stratum} in the population").fill(share)
    page.get_by_role("button", name="Weigh").click()
    page.get_by_text(
        "Not weighted: the shares must add up to 1, and these add up to 0.9"
    ).wait_for()
    assert page.get_by_label("Share of 2.x in the population").input_value() == "0.6"
    page.get_by_label("Share of 2.x in the population").fill("0.7")
    page.get_by_role("button", name="Weigh").click()
    page.locator("#weighted").wait_for()


def test_axe_finds_nothing_serious_on_a_weighted_page(
    open_page: Callable[..., Page], asked: Site
) -> None:
    page = open_page(bypass_csp=True)  # axe is injected into the page
    signed_in(page, asked, asked.admin)
    for path in (WEIGHTED, "/settings"):
        drawn(page, asked.url + path)
        assert serious(page) == [], path


def test_a_phone_shows_a_weighted_page_without_scrolling_aside(
    open_page: Callable[..., Page], asked: Site
) -> None:
    page = signed_in(open_page(viewport=PHONE, has_touch=True), asked, asked.admin)
    for path in (WEIGHTED, "/settings"):
        drawn(page, asked.url + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
