"""Photographs the dashboard into docs/screenshots: light, and much of it dark and on a phone."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .chromium import MISSING, find_chromium, launched
from .site import QUESTIONS, SURVEY, WORDS, Site, ask_habits, fill, started

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

OUT = Path(__file__).parents[2] / "docs" / "screenshots"
PAGES = {
    "surveys": "/surveys",
    "survey": f"/surveys/{SURVEY.name}",
    "compare": f"/surveys/{SURVEY.name}/compare?before=2026-W42&after=2026-W46",
    "questions": f"/surveys/{QUESTIONS.name}",
    "new-survey": "/new-survey",
    "training": "/trainings/system-errors",
    "devices": "/devices",
    "settings": "/settings",
    "be-a-device": f"/be-a-device/{SURVEY.name}",
}
LIGHT_ONLY = {
    "public": f"/about/{SURVEY.name}",
    "share": f"/surveys/{SURVEY.name}/share",
    "new-training": "/new-training",
    "exploration": f"/explorations/{WORDS.name}",
    "survey-settings": f"/surveys/{SURVEY.name}/settings",
    "activity": "/activity",
}
"""Pages that one picture is enough of."""

LOOKS = {
    "light": {"color_scheme": "light", "viewport": {"width": 1200, "height": 860}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1200, "height": 860}},
    "phone": {"color_scheme": "light", "viewport": {"width": 390, "height": 844}},
}
MOST_BYTES = 170_000


def photograph(page: Page, site: Site, look: str) -> None:
    """Take a picture of every page."""
    pages = PAGES | LIGHT_ONLY if look == "light" else PAGES
    for name, path in pages.items():
        page.goto(site.url + path)
        if page.locator("[data-chart]").count():
            page.locator("body[data-drawn]").wait_for()
        if name == "new-survey":
            page.get_by_label("Name").first.fill("phone-diagnostics-2")
            page.locator("fieldset").get_by_label("Name").fill("battery use")
            page.locator("#plan .sentence").wait_for()
        if name == "new-training":
            page.get_by_label("Name").first.fill("charging")
            page.locator("fieldset").first.get_by_label("Name").fill("charging")
            page.locator("fieldset").last.get_by_label("Name").fill("battery use")
            page.locator("#plan .sentence").wait_for()
        if name == "share":
            page.get_by_label("For whom").fill("our blog")
            page.get_by_label("What it shows").select_option("maker")
            page.get_by_role("button", name="Make the link").click()
            page.get_by_label("The new link").wait_for()
        if name == "be-a-device":
            be_a_device(page)
        out = OUT / f"{name}-{look}.png"
        page.screenshot(path=out)
        assert out.stat().st_size < MOST_BYTES, f"{out} is too large"


def be_a_device(page: Page) -> None:
    """Answer, as one device after another until one is asked about its theme."""
    page.locator("body[data-ready]").wait_for()
    page.get_by_label("theme").select_option("dark")
    while page.locator("#questions .picked").all_inner_texts() != ["theme"]:
        if page.get_by_role("button", name="Be another device").is_visible():
            page.get_by_role("button", name="Be another device").click()
            page.get_by_text("A new device").wait_for()
        page.get_by_role("button", name="Answer").click()
        page.get_by_text("The server has it").wait_for()
    page.locator("#coin-title").evaluate("title => title.closest('section').scrollIntoView()")


def everything(browser: Browser, site: Site) -> None:
    """Take every picture."""
    for look, options in LOOKS.items():
        context = browser.new_context(**options)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(site.link(site.admin))
        if look == "light":
            page.screenshot(path=OUT / "sign-in-light.png")
        page.get_by_role("button", name="Sign in as").click()
        page.wait_for_url("**/surveys")
        photograph(page, site, look)
        context.close()


def favourite_words(devices: int) -> list[str]:
    """Invent what devices tell in the exploration: a few words are common."""
    random = np.random.default_rng(7)
    words = ["moon", "sun", "rain", "wind", "snow"]
    return [str(one) for one in random.choice(words, devices, p=[0.4, 0.25, 0.2, 0.1, 0.05])]


def main() -> int:
    """Start a server with something to see, and photograph it."""
    path = find_chromium()
    if path is None:
        sys.stderr.write(f"{MISSING}\n")
        return 1
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, launched(path) as browser:
        site = started(Path(folder), be_a_device=True)
        try:
            fill(site, devices=200_000)
            ask_habits(site, devices=200_000)
            site.finish(site.live_training(devices=50_000))
            site.live_exploration()
            site.explore(favourite_words(WORDS.devices))
            site.call("PATCH", f"/v1/surveys/{SURVEY.name}/settings", {"public": True})
            everything(browser, site)
        finally:
            site.server.stop()
    sys.stderr.write(f"{len(list(OUT.glob('*.png')))} pictures -> {OUT}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
