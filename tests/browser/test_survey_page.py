"""A survey's page from its first minute on, and with more on it than fits."""

from __future__ import annotations

from playwright.sync_api import Page, expect

import harmony as hm

from .conftest import next_page
from .site import Site

MANY = hm.Survey(
    "many",
    [hm.Boolean(f"question {number}") for number in range(38)]
    + [
        hm.Categorical("site", [f"site-{number:03}.example" for number in range(500)]),
        hm.Boolean("\u05e9\u05dc\u05d5\u05dd " + "long" * 40),
    ],
    epsilon=4.0,
)

COUNTED = "count => document.getElementById('reports')?.textContent === count"


def test_an_empty_round_teaches_and_turns_into_results(as_admin: Page, site: Site) -> None:
    survey = hm.Survey("commute", [hm.Boolean("by bike")], epsilon=1.0)
    site.call("POST", "/v1/surveys", survey.to_document())
    page = as_admin
    page.goto(f"{site.url}/surveys/commute")
    assert page.get_by_role("heading", name="No round yet").is_visible()
    page.get_by_label("New round").fill("week1")
    page.get_by_role("button", name="Open").click()
    page.get_by_role("heading", name="Waiting for the first report").wait_for()
    snippets = page.locator(".snippets")
    expect(snippets).to_contain_text('"by bike": bool', use_inner_text=True)
    codes = {}
    for language in ("JavaScript", "Java", "curl"):
        snippets.get_by_text(language, exact=True).click()
        code = snippets.get_by_role("region", name=language, exact=True).inner_text()
        assert site.url in code
        assert "by bike" in code or language == "curl"
        codes[language] = code
    page.locator("main[data-connected]").wait_for()
    module, rest = codes["JavaScript"].split(";", 1)
    body = module.replace("import {", "const {").replace("from", "= await import(") + ");" + rest
    # As a page of this origin would; nobody waits for it, as this page is loaded again meanwhile.
    page.evaluate(f"() => {{ (async () => {{{body}}})(); }}")
    page.wait_for_function(COUNTED, arg="1")
    site.report_table(survey, "week1", {"by bike": [True, False] * 2_500}, first=2_000_000)
    page.wait_for_function(COUNTED, arg="5,001")
    expect(page.locator("section.attribute")).to_have_count(1)
    assert page.locator(".snippets").count() == 0


def test_enter_never_creates_a_survey(as_admin: Page, site: Site) -> None:
    page = as_admin
    page.goto(f"{site.url}/new-survey")
    page.locator("fieldset").get_by_label("Name").fill("battery")
    page.get_by_label("Name").first.fill("stray")
    with next_page(page):
        page.get_by_label("Name").first.press("Enter")
    page.locator("#plan .sentence").wait_for()
    assert page.get_by_label("Name").first.input_value() == "stray"
    names = [one["name"] for one in site.call("GET", "/v1/surveys")["surveys"]]
    assert "stray" not in names


def test_many_attributes_and_values_can_be_found(as_admin: Page, site: Site) -> None:
    site.call("POST", "/v1/surveys", MANY.to_document())
    site.call("POST", "/v1/surveys/many/rounds", {"label": "1"})
    table = {one.name: [one.values[place % 2] for place in range(4_000)] for one in MANY.attributes}
    site.report_table(MANY, "1", table, first=3_000_000)
    page = as_admin
    page.goto(f"{site.url}/surveys/many")
    page.locator("body[data-drawn]").wait_for()
    cards = page.locator("section.attribute")
    assert cards.count() == 40
    assert page.locator("section.attribute > details[open]").count() == 4
    assert page.locator(".main-svg").count() <= 3 * 4  # what is closed costs nothing
    page.get_by_label("Find", exact=True).fill("question 3")
    assert cards.locator("visible=true").locator("summary").count() == 9  # 3 and 30 to 37
    page.get_by_label("Find", exact=True).fill("SITE")
    card = page.locator("#card-38")
    assert card.is_visible()
    card.locator(".main-svg").first.wait_for()
    card.get_by_label("Find a value").fill("-49")
    rows = card.locator("tbody tr:not([hidden])")
    assert rows.count() == 10
    assert "site-490.example" in card.locator("tbody").inner_text()
    page.get_by_label("Find", exact=True).fill("")
    page.get_by_role("button", name="Open all").click()
    expect(page.locator("section.attribute > details[open]")).to_have_count(40)
    page.get_by_role("button", name="Close all").click()
    page.locator(".contents a", has_text="question 20").click()
    page.locator("#card-20 > details[open]").wait_for()
    for width in (390, 820, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        page.reload()
        page.locator("body[data-drawn]").wait_for()
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, width
