"""Debian's Chromium through Playwright.  As a program, installs one where that is possible."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome")
INSTALL_SECONDS = 600

MISSING = (
    "NO BROWSER: the dashboard's browser tests DO NOT RUN on this machine. Install Chromium "
    "(Debian: apt-get install chromium), or say where one is in HARMONY_CHROMIUM."
)

QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)
"""Flags that keep the browser itself from calling anyone."""

PATIENCE = 90_000
"""Milliseconds to wait for what a page does: a busy machine is no failure."""


def find_chromium() -> str | None:
    """Return where a Chromium is."""
    if given := os.environ.get("HARMONY_CHROMIUM"):
        return given
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def install_chromium() -> None:
    """Install Debian's Chromium, if this is a Debian and we are root."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
        subprocess.run(
            ["apt-get", "--quiet", *words],
            env=environment, capture_output=True, check=False, timeout=INSTALL_SECONDS,
        )  # fmt: skip


@contextmanager
def launched(path: str) -> Iterator[Browser]:
    """Start the browser, and end it; what is expected of its pages has time to come true."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*QUIET, *as_root])
        try:
            yield browser
        finally:
            browser.close()


def main() -> None:
    """Find a Chromium, or install one, or say loudly that there is none."""
    if find_chromium() is None:
        sys.stderr.write("Installing Chromium for the browser tests\n")
        install_chromium()
    if find_chromium() is None:
        sys.stderr.write(f"\n{'!' * 80}\n{MISSING}\n{'!' * 80}\n\n")


if __name__ == "__main__":
    main()
