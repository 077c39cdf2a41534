"""The dashboard as people use it, in a real browser against a real server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

import harmony as hm

from .conftest import next_page, signed_in
from .site import SURVEY, Site

OURS = f"/surveys/{SURVEY.name}"


def table_of(page: Page, attribute: str) -> list[list[str]]:
    """Read the cells of an attribute's table off the page."""
    card = page.locator("section.attribute", has=page.get_by_role("heading", name=attribute))
    rows = card.locator("table tbody tr").all()
    return [row.locator("th, td").all_inner_texts() for row in rows]


def test_a_link_signs_in_once_and_signing_out_ends_the_session(page: Page, site: Site) -> None:
    page.goto(site.url + OURS)
    assert page.url.startswith(f"{site.url}/sign-in?next=")
    link = site.link(site.admin)
    page.goto(link)
    page.get_by_role("button", name="Sign in as Ada").click()
    page.wait_for_url("**/surveys")
    (cookie,) = page.context.cookies()
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    assert page.evaluate("document.cookie") == ""
    page.goto(link)
    assert "was used before" in page.get_by_role("alert").inner_text()
    page.goto(f"{site.url}/surveys")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in")
    page.context.add_cookies([cookie])  # whoever kept the cookie gains nothing
    page.goto(site.url + OURS)
    assert "/sign-in" in page.url


def test_a_survey_is_created_by_the_form_with_its_plan_beside_it(
    as_admin: Page, site: Site
) -> None:
    page = as_admin
    page.get_by_role("link", name="New survey").click()
    page.get_by_label("Name").first.fill("commute")
    page.get_by_label("Epsilon").fill("2")
    page.get_by_role("button", name="Add an attribute").click()
    expect(page.locator("fieldset")).to_have_count(2)
    first, second = page.locator("fieldset").all()
    first.get_by_label("Name").fill("minutes")
    first.get_by_label("To", exact=True).fill("120")
    second.get_by_label("Name").fill("by")
    second.get_by_label("Asks for").select_option("categorical")
    second.get_by_label("Values, one a line").fill("bike\nbus, tram\ncar")
    planned = hm.Survey(
        "commute",
        [hm.Numeric("minutes", 0, 120), hm.Categorical("by", ["bike", "bus, tram", "car"])],
        epsilon=2.0,
    )
    minutes, by = planned.plan(devices=50_000).errors
    errors = page.locator("#plan table")
    expect(errors).to_contain_text(f"±{100 * by.error:.2g}%")  # of three values, as typed last
    expect(errors).to_contain_text(f"±{minutes.in_units:.2g}")
    sentence = page.locator("#plan .sentence").inner_text()
    assert sentence.startswith("With 50,000 devices at epsilon 2 expect ±")
    page.get_by_label("Open a first round now").fill("week1")
    page.get_by_role("button", name="Create survey").click()
    page.wait_for_url("**/surveys/commute")
    assert "week1" in page.locator(".tiles").inner_text()
    assert page.get_by_role("heading", name="Waiting for the first report").is_visible()
    assert site.call("GET", "/v1/surveys/commute")["epsilon"] == 2.0


def test_a_form_with_a_mistake_says_which(as_admin: Page, site: Site) -> None:
    page = as_admin
    page.goto(f"{site.url}/new-survey")
    page.get_by_label("Name").first.fill("broken")
    page.locator("fieldset").get_by_label("Name").fill("battery")
    page.locator("fieldset").get_by_label("To", exact=True).fill("-5")
    alert = page.get_by_role("alert")
    expect(alert).to_have_text("battery: 'low' must be below 'high'")
    with next_page(page):
        page.get_by_role("button", name="Create survey").click()
    expect(alert).to_have_text("battery: 'low' must be below 'high'")
    assert page.locator("fieldset").get_by_label("To", exact=True).input_value() == "-5"


def test_reports_arrive_live_and_the_numbers_are_the_apis(as_admin: Page, site: Site) -> None:
    page = as_admin
    page.goto(site.url + OURS)
    page.locator("main[data-connected]").wait_for()
    page.locator("body[data-drawn]").wait_for()
    before = int(page.locator("#reports").inner_text().replace(",", ""))
    drawn = page.locator("#chart-0").get_attribute("data-chart")
    site.report(SURVEY, "2026-W46", 5_000, first=1_000_000, seed=99)
    page.wait_for_function(
        "count => document.getElementById('reports').textContent === count",
        arg=f"{before + 5000:,}",
    )
    page.wait_for_function(
        "old => document.getElementById('chart-0').dataset.chart !== old", arg=drawn
    )
    found = site.call("GET", f"/v1/surveys/{SURVEY.name}/rounds/2026-W46/estimates")
    mean = found["estimates"][0]
    assert found["reports"] == before + 5000
    ((_, shown, interval),) = table_of(page, "battery use")
    low, high = map(float, interval.split(" to "))
    for text, number in ((shown, mean["estimate"]), (low, mean["low"]), (high, mean["high"])):
        assert abs(float(text) - number) <= 0.05 + 1e-9
    chart = json.loads(page.locator("#chart-0").get_attribute("data-chart") or "")
    assert chart["estimate"] == mean["estimate"]
    assert chart["interval"] == [mean["low"], mean["high"]]
    assert "5,000 reports" in page.locator("#news").inner_text()
    shares = [row for row in found["estimates"] if row["attribute"] == "theme"]
    for cells, row in zip(table_of(page, "theme"), shares, strict=True):
        assert abs(float(cells[1].rstrip("%")) / 100 - row["estimate"]) <= 0.0005 + 1e-9
        assert abs(float(cells[3].rstrip("%")) / 100 - row["consistent"]) <= 0.0005 + 1e-9


def test_charts_and_trends_are_drawn_and_can_be_saved(as_admin: Page, site: Site) -> None:
    page = as_admin
    page.goto(site.url + OURS)
    page.locator("body[data-drawn]").wait_for()
    assert page.locator(".chart .main-svg").count() >= 8
    assert page.locator("#trend-0 .scatterlayer .trace").count() == 3
    for format in ("SVG", "PNG"):
        with page.expect_download() as saved:
            page.get_by_role("button", name=f"Save the chart of theme as {format}").click()
        assert saved.value.suggested_filename == f"theme.{format.lower()}"
        assert saved.value.path().stat().st_size > 2000


def test_two_rounds_are_compared_side_by_side(as_admin: Page, site: Site) -> None:
    page = as_admin
    page.goto(site.url + OURS)
    page.get_by_label("Compare with").select_option("2026-W41")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_url(f"**{OURS}/compare?after=2026-W46&before=2026-W41")
    page.locator("body[data-drawn]").wait_for()
    assert page.get_by_role("heading", level=1).inner_text() == "2026-W46 against 2026-W41"
    found = site.call("GET", f"/v1/surveys/{SURVEY.name}/rounds/2026-W46/changes?since=2026-W41")
    summary = page.locator("#summary").inner_text()
    assert all(name in summary for name in found["changed"] or ["No change can be told"])
    mean = found["differences"][0]
    ((_, before, after, difference, interval, noticed, mark),) = table_of(page, "battery use")
    low, high = map(float, interval.split(" to "))
    for text, key in (
        (before, "before"), (after, "after"), (difference, "difference"), (noticed, "detectable"),
        (low, "simultaneous_low"), (high, "simultaneous_high"),
    ):  # fmt: skip
        assert abs(float(text) - mean[key]) <= 0.05 + 1e-9
    assert mark == ("changed" if mean["changed"] else "")
    assert len(table_of(page, "theme")) == 3
    drawn = page.locator(".chart.comparison .main-svg")
    assert drawn.count() >= 4
    with page.expect_download() as saved:
        page.get_by_role("link", name="CSV").click()
    assert len(saved.value.path().read_text().splitlines()) == 1 + len(found["differences"])
    page.get_by_label("Before").select_option("2026-W46")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_text("cannot be compared with itself").wait_for()


def test_the_theme_can_be_chosen_and_is_kept(open_page: Callable[..., Page], site: Site) -> None:
    page = signed_in(open_page(color_scheme="light"), site, site.analyst)

    def background() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    light = background()
    page.get_by_role("button", name="Use dark colours").click()
    dark = background()
    assert dark != light
    page.reload()
    assert background() == dark


def test_analysts_read_and_cannot_administer(open_page: Callable[..., Page], site: Site) -> None:
    page = signed_in(open_page(), site, site.analyst)
    assert page.get_by_role("link", name="Settings").count() == 0
    assert page.get_by_role("link", name="New survey").count() == 0
    page.goto(site.url + OURS)
    assert page.get_by_role("button", name=re.compile("Close round")).count() == 0
    for path in ("/settings", "/new-survey", "/settings.json"):
        answer = page.goto(site.url + path)
        assert answer is not None
        assert answer.status == 403
    page.goto(site.url + OURS)
    csrf = page.locator("input[name=csrf]").first.input_value()
    refused = page.request.post(f"{site.url}{OURS}/close", form={"csrf": csrf, "label": "2026-W46"})
    assert refused.status == 403


def test_a_form_from_elsewhere_is_refused(as_admin: Page, site: Site) -> None:
    for form in ({"label": "2026-W46"}, {"label": "2026-W46", "csrf": "0" * 64}):
        refused = as_admin.request.post(f"{site.url}{OURS}/close", form=form)
        assert refused.status == 403
    rounds = site.call("GET", f"/v1/surveys/{SURVEY.name}/rounds")["rounds"]
    assert rounds[-1]["closed"] is None


def test_every_view_has_its_json_and_csv(as_admin: Page, site: Site) -> None:
    page = as_admin
    for path in ("/surveys", OURS, "/devices", "/settings"):
        page.goto(site.url + path)
        for kind, media_type in (("JSON", "application/json"), ("CSV", "text/csv")):
            address = page.get_by_role("link", name=kind).get_attribute("href")
            answer = page.request.get(f"{site.url}{address}")
            assert answer.status == 200
            assert answer.headers["content-type"].startswith(media_type)
            assert SURVEY.name in answer.text() or path == "/settings" or kind == "CSV"


def test_tokens_links_and_schedules_are_managed(open_page: Callable[..., Page], site: Site) -> None:
    page = signed_in(open_page(), site, site.admin)
    page.goto(f"{site.url}/settings")
    page.get_by_label("For whom").fill("Katherine")
    page.get_by_role("button", name="Make a token").click()
    token = page.get_by_label("The new token").inner_text()
    assert token.startswith("hmy_")
    page.get_by_role("button", name="Make a sign-in link for Katherine").click()
    link = page.get_by_label("The sign-in link").inner_text()
    other = open_page()
    other.goto(link)
    other.get_by_role("button", name="Sign in as Katherine").click()
    other.wait_for_url("**/surveys")
    page.get_by_role("button", name="Revoke the token of Katherine").click()
    page.get_by_text("This cannot be undone.").wait_for()
    page.get_by_role("button", name="Revoke the token of Katherine").click()
    page.wait_for_url("**/settings")
    other.reload()
    assert "/sign-in" in other.url  # revoking a token ends its sessions
    page.get_by_label(f"Schedule of {SURVEY.name}", exact=True).select_option("weekly")
    with next_page(page):
        page.get_by_role("button", name=f"Save the schedule of {SURVEY.name}").click()
    listed = {one["name"]: one for one in site.call("GET", "/v1/surveys")["surveys"]}
    assert listed[SURVEY.name]["schedule"] == "weekly"


def test_without_scripts_the_numbers_are_tables(open_page: Callable[..., Page], site: Site) -> None:
    page = signed_in(open_page(java_script_enabled=False), site, site.analyst)
    page.goto(site.url + OURS)
    ((_, mean, _),) = table_of(page, "battery use")
    assert 50 < float(mean) < 80
    assert len(table_of(page, "maker")) == 10
    assert not page.locator(".chart").first.is_visible()
    page.get_by_label("Round").select_option("2026-W41")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**round=2026-W41")
    assert "closed" in page.locator(".tiles").inner_text()


def test_the_keyboard_reaches_everything(as_admin: Page, site: Site) -> None:
    page = as_admin
    page.goto(site.url + OURS)
    page.locator("body[data-drawn]").wait_for()  # charts bring buttons
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate("document.activeElement.name || document.activeElement.innerText")
        )
    assert {"round", "Show", "Close round 2026-W46", "SVG", "PNG", "JSON", "CSV"} <= reached


def test_an_exploration_is_followed_to_its_strings(as_admin: Page, site: Site) -> None:
    page = as_admin
    site.live_exploration()
    page.goto(f"{site.url}/explorations")
    page.get_by_role("link", name="words").click()
    page.wait_for_url("**/explorations/words")
    page.locator("main[data-connected]").wait_for()
    assert "running" in page.locator(".tiles").inner_text()
    assert "Nothing yet" in page.locator("#strings-table").inner_text()
    site.explore(["the", "the", "and"] * 2_500)
    page.locator("#tiles .mark", has_text="finished").wait_for()
    found = site.call("GET", "/v1/explorations/words")["findings"]["strings"]
    assert [one["text"] for one in found] == ["the", "and"]
    rows = page.locator("#strings-table tbody tr")
    expect(rows).to_have_count(3)
    page.locator("body[data-drawn]").wait_for()  # to its end, if it was loaded again
    shown = [row.locator("th, td").all_inner_texts() for row in rows.all()]
    assert [cells[0] for cells in shown] == ["the", "and", "(other)"]
    assert shown[0][1] == f"{found[0]['share']:.1%}"
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert "the" in download.value.path().read_text()
    page.goto(f"{site.url}/trainings")
    assert page.get_by_role("link", name="words").count() == 0


def test_a_training_is_followed_to_its_model(as_admin: Page, site: Site) -> None:
    page = as_admin
    training = site.live_training(devices=3_000)
    page.goto(f"{site.url}/trainings")
    page.get_by_role("link", name="system-errors").click()
    page.wait_for_url("**/trainings/system-errors")
    page.locator("main[data-connected]").wait_for()
    assert "running" in page.locator(".tiles").inner_text()
    assert len(page.locator("#steps tbody tr").all()) == 1
    site.finish(training)
    page.locator("#tiles .mark", has_text="finished").wait_for()
    found = site.call("GET", "/v1/trainings/system-errors")
    page.wait_for_function(
        "count => document.getElementById('reports').textContent === count",
        arg=f"{found['devices']:,}",
    )
    page.locator("body[data-drawn]").wait_for()  # to its end, if it was loaded again
    steps = [
        row.locator("th, td").all_inner_texts() for row in page.locator("#steps tbody tr").all()
    ]
    assert [int(cells[0]) for cells in steps] == [one["number"] for one in found["steps"]]
    assert [int(cells[3].replace(",", "")) for cells in steps] == [
        one["reports"] for one in found["steps"]
    ]
    weights = {
        cells[0]: float(cells[2])
        for row in page.locator("#model tbody tr").all()
        if (cells := row.locator("th, td").all_inner_texts())
    }
    model = found["model"]["model"]
    expected = {"intercept": model["intercept"], **model["weights"]}
    assert weights.keys() == expected.keys()
    assert all(abs(weights[name] - expected[name]) <= 0.0005 + 1e-9 for name in expected)
    for kind in ("JSON", "CSV"):
        address = page.get_by_role("link", name=kind).get_attribute("href")
        assert page.request.get(f"{site.url}{address}").status == 200
