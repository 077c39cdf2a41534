"""Distributions and crosstabs on the dashboard: asked for by the form, drawn on the page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from .site import QUESTIONS, Site, ask_habits

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture(scope="module")
def asked(site: Site) -> Site:
    ask_habits(site, devices=20_000)
    return site


def test_a_distribution_a_heat_map_and_means_are_drawn(as_admin: Page, asked: Site) -> None:
    page = as_admin
    page.goto(f"{asked.url}/surveys/{QUESTIONS.name}")
    page.locator("body[data-drawn]").wait_for()
    charts = [
        json.loads(page.locator(f"#chart-{place}").get_attribute("data-chart") or "")
        for place in (0, 3, 4)
    ]
    assert [chart["kind"] for chart in charts] == ["cdf", "heat", "means"]
    assert page.locator("#chart-0 .scatterlayer .trace").count() == 3
    assert page.locator("#chart-3 .heatmaplayer image").count() == 1
    assert page.locator("#chart-4 .scatterlayer .point").count() == 3
    page.get_by_text("were wifi and theme unrelated").wait_for()
    found = asked.call("GET", f"/v1/surveys/{QUESTIONS.name}/rounds/2026-W46/estimates")
    shares = [line["cdf"] for line in found["distributions"][0]["cdf"]]
    assert charts[0]["cdf"] == shares
    assert charts[1]["shares"] == found["crosstabs"][0]["table"]
    medians = [row["estimate"] for row in found["estimates"] if row["value"] == "median"]
    figure = page.locator(".figure").first.inner_text()
    assert abs(float(figure) - medians[0]) <= 0.5 + 1e-9
    for name in ("screen", "wifi x theme"):
        with page.expect_download() as saved:
            page.get_by_role("button", name=f"Save the chart of {name} as SVG").click()
        assert saved.value.path().stat().st_size > 2000


def test_the_form_asks_for_a_distribution_and_for_all_pairs(as_admin: Page, asked: Site) -> None:
    page = as_admin
    page.goto(f"{asked.url}/new-survey")
    page.get_by_label("Name").first.fill("by-form")
    fields = page.locator("fieldset").first
    fields.get_by_label("Name").fill("screen")
    fields.get_by_label("Asks for").select_option("distribution")
    assert fields.get_by_label("From").is_visible()
    assert not fields.get_by_label("Bins").is_visible()
    for place, name in ((2, "wifi"), (3, "nfc")):
        page.get_by_role("button", name="Add an attribute").click()
        other = page.locator("fieldset").nth(place - 1)
        other.get_by_label("Name").fill(name)
        other.get_by_label("Asks for").select_option("boolean")
    page.get_by_label("Crosstabs").check()
    page.locator("#plan").get_by_text("wifi x nfc").wait_for()
    page.get_by_role("button", name="Create survey").click()
    page.wait_for_url("**/surveys/by-form")
    document = asked.call("GET", "/v1/surveys/by-form")
    names = [one["name"] for one in document["attributes"]]
    assert "wifi x nfc" in names
    assert "screen in 256 bins" in names
