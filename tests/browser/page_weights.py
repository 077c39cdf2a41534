"""Measures every page as a first visitor meets it: first paint, weight over the wire, requests.

Run it with `python -m tests.browser.page_weights`: times are of this machine, weights of any.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import harmony as hm

from .chromium import MISSING, find_chromium, launched
from .site import QUESTIONS, SURVEY, WORDS, Site, ask_habits, fill, started

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MOST_BYTES = 1_500_000

MANY = hm.Survey(
    "many", [hm.Categorical(f"habit {place}", ["a", "b", "c", "d"]) for place in range(40)], 4.0
)
PAGES = {
    "surveys": "/surveys",
    "survey": f"/surveys/{SURVEY.name}",
    "distributions": f"/surveys/{QUESTIONS.name}",
    "40 attributes": f"/surveys/{MANY.name}",
    "compare": f"/surveys/{SURVEY.name}/compare?before=2026-W41",
    "share": f"/surveys/{SURVEY.name}/share",
    "survey settings": f"/surveys/{SURVEY.name}/settings",
    "public page": f"/about/{SURVEY.name}",
    "new survey": "/new-survey",
    "training": "/trainings/system-errors",
    "new training": "/new-training",
    "exploration": f"/explorations/{WORDS.name}",
    "devices": "/devices",
    "activity": "/activity",
    "settings": "/settings",
    "be a device": f"/be-a-device/{SURVEY.name}",
    "API": "/docs",
}


@dataclass(frozen=True)
class Weight:
    """One page: milliseconds until it was painted and all was drawn, bytes, requests."""

    paint: float
    drawn: float
    wire: int
    html: int
    requests: int
    elsewhere: tuple[str, ...]


def weigh(page: Page, url: str, own: str) -> Weight:
    """Load a page with an empty cache, and measure it."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: dict[str, int] = {}
    addresses: dict[str, str] = {}
    session.on("Network.requestWillBeSent", lambda one: _note(addresses, one))
    session.on(
        "Network.loadingFinished",
        lambda one: sizes.__setitem__(one["requestId"], int(one["encodedDataLength"])),
    )
    started_at = time.perf_counter()
    page.goto(url, wait_until="load")
    if page.locator("[data-chart]").count():
        page.locator("body[data-drawn]").wait_for()
    drawn = 1000 * (time.perf_counter() - started_at)
    paint = page.evaluate(
        "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"
    )
    html = page.evaluate("() => performance.getEntriesByType('navigation')[0].encodedBodySize")
    session.detach()
    asked = [one for one in addresses.values() if not one.startswith(("blob:", "data:"))]
    elsewhere = tuple(one for one in asked if not one.startswith(own))
    return Weight(paint, drawn, sum(sizes.values()), html, len(asked), elsewhere)


def _note(addresses: dict[str, str], event: dict[str, Any]) -> None:
    addresses[event["requestId"]] = event["request"]["url"]


def ask_many(site: Site, devices: int = 20_000) -> None:
    """Collect a round of 40 attributes."""
    random = np.random.default_rng(7)
    table = {one.name: random.choice(["a", "b", "c", "d"], devices) for one in MANY.attributes}
    site.call("POST", "/v1/surveys", MANY.to_document())
    site.call("POST", f"/v1/surveys/{MANY.name}/rounds", {"label": "2026-W46"})
    site.report_table(MANY, "2026-W46", table, first=0)


def report(browser: Browser, site: Site) -> int:
    """Write a line for each page; return how many are too heavy or ask anyone else."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(site.link(site.admin))
    page.get_by_role("button", name="Sign in as").click()
    page.wait_for_url("**/surveys")
    bad = 0
    write = sys.stdout.write
    write(
        f"{'page':<18}{'first paint':>13}{'all drawn':>11}{'html':>9}{'wire':>10}{'requests':>10}\n"
    )
    for name, path in PAGES.items():
        one = weigh(page, site.url + path, site.url)
        bad += one.wire > MOST_BYTES or bool(one.elsewhere)
        write(
            f"{name:<18}{one.paint:>10.0f} ms{one.drawn:>8.0f} ms{one.html / 1e3:>6.0f} kB"
            f"{one.wire / 1e3:>7.0f} kB{one.requests:>10}  {' '.join(one.elsewhere)}\n"
        )
    context.close()
    return bad


def main() -> int:
    """Start a server with something to see, and measure its pages."""
    path = find_chromium()
    if path is None:
        sys.stderr.write(f"{MISSING}\n")
        return 1
    with tempfile.TemporaryDirectory() as folder, launched(path) as browser:
        site = started(Path(folder), be_a_device=True)
        try:
            fill(site)
            ask_habits(site, devices=20_000)
            ask_many(site)
            site.call("PATCH", f"/v1/surveys/{SURVEY.name}/settings", {"public": True})
            site.live_training(devices=1_000)
            site.live_exploration()
            return min(1, report(browser, site))
        finally:
            site.server.stop()


if __name__ == "__main__":
    sys.exit(main())
