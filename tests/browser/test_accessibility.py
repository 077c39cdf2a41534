"""axe-core finds nothing serious on any page, light or dark; phones need not scroll aside."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from .conftest import drawn, signed_in
from .site import SURVEY, Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGES = (
    "/surveys", f"/surveys/{SURVEY.name}", f"/surveys/{SURVEY.name}/compare?before=2026-W41",
    "/new-survey", "/trainings", "/trainings/system-errors", "/new-training", "/explorations",
    "/explorations/words", "/new-exploration", "/devices", "/activity", "/settings",
    f"/surveys/{SURVEY.name}/settings", "/trainings/system-errors/settings", "/docs",
)  # fmt: skip
COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules that depend on whether a page is light or dark."""

PHONE = {"width": 390, "height": 844}

NEXT_FRAME = "() => new Promise(requestAnimationFrame)"
"""Pages hear of other colours, and draw their charts anew, before their next frame."""


def serious(page: Page) -> list[str]:
    """Return what axe-core finds that is serious or worse, on a light page and on the dark one."""
    page.emulate_media(color_scheme="light")
    page.evaluate(NEXT_FRAME)
    light = _serious(page)
    page.emulate_media(color_scheme="dark")
    page.evaluate(NEXT_FRAME)
    dark = _serious(page, runOnly=COLOURS)
    page.emulate_media(color_scheme="light")
    return [*light, *(f"dark: {one}" for one in dark)]


def _serious(page: Page, **options: object) -> list[str]:
    from axe_playwright_python.sync_playwright import DEFAULT_OPTIONS, Axe

    # By default axe describes violations only: it takes as long again for all that is well.
    found = Axe().run(page, options={**DEFAULT_OPTIONS, **options}).response["violations"]
    return [
        f"{one['id']}: {node['html'][:200]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.fixture(scope="module", autouse=True)
def training(site: Site) -> None:
    """A training and an exploration that wait for their devices."""
    site.live_training(devices=1_000)
    site.live_exploration()


def test_axe_finds_nothing_serious(open_page: Callable[..., Page], site: Site) -> None:
    page = open_page(bypass_csp=True)  # axe is injected into the page
    page.goto(f"{site.url}/sign-in")
    assert serious(page) == []
    signed_in(page, site, site.admin)
    for path in PAGES:
        drawn(page, site.url + path)
        assert serious(page) == [], path


def test_a_phone_shows_every_page_without_scrolling_aside(
    open_page: Callable[..., Page], site: Site
) -> None:
    page = signed_in(open_page(viewport=PHONE, has_touch=True), site, site.admin)
    for path in PAGES:
        drawn(page, site.url + path)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= PHONE["width"], path
