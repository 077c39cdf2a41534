"""Debian's Chromium through Playwright: found, or installed where that is possible."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome")
INSTALL_SECONDS = 600

QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)
"""Flags that keep the browser itself from calling anyone."""


@cache
def find_chromium() -> str | None:
    """Return where a Chromium is; on a Debian that we are root of, install one."""
    if given := os.environ.get("HARMONY_CHROMIUM"):
        return given
    if found := _on_path():
        return found
    if os.geteuid() == 0 and shutil.which("apt-get"):
        for words in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
            environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
            subprocess.run(
                ["apt-get", "--quiet", *words],
                env=environment, capture_output=True, check=False, timeout=INSTALL_SECONDS,
            )  # fmt: skip
    return _on_path()


def _on_path() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def launched(path: str) -> Iterator[Browser]:
    """Start the browser, and end it."""
    from playwright.sync_api import sync_playwright

    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*QUIET, *as_root])
        try:
            yield browser
        finally:
            browser.close()
