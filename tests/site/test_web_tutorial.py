"""The tutorial on web pages, followed to its end: server, survey, page, browser, deletion."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path

import pytest

from tests.browser.chromium import MISSING, PATIENCE, find_chromium, launched
from tests.service.server_process import free_port

from .shell import Reader

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "web-page.md"


def test_a_reader_gets_to_the_end(tmp_path: Path) -> None:
    chromium = find_chromium()
    if chromium is None:
        pytest.skip(MISSING)
    server, shop = free_port(), free_port()
    changed = {
        "localhost:8000": f"localhost:{server}",
        "localhost:8080": f"localhost:{shop}",
        "harmony serve": f"harmony serve --port {server}",
        "--directory shop 8080": f"--directory shop {shop}",
    }
    with Reader(PAGE, tmp_path, changed) as reader:
        reader.follow(until="harmony serve")
        code = reader.claim("terminal 1.log")
        reader.know("TOKEN", claimed(f"http://localhost:{server}", code))

        said = reader.follow(until="/rounds")
        assert "valid. 3 attributes, epsilon 1" in said
        assert '"browsers"' in said

        reader.follow(until="http.server")
        with launched(chromium) as browser:
            page = browser.new_page()
            page.set_default_timeout(PATIENCE)
            wait_for(f"http://localhost:{shop}")
            page.goto(f"http://localhost:{shop}")
            page.get_by_role("button", name="Yes, count me").click()
            page.get_by_text("round first: asked about").wait_for()
            assert "accepted" in page.locator("#ledger").inner_text()

            counted = reader.follow(until="estimates.csv")
            assert "too few reports to say" in counted

            shown = reader.follow(until="python crowd.py")
            assert "browsers, round simulation: 20,000 reports" in shown

            page.get_by_role("button", name="Stop, and delete everything").click()
            page.get_by_text("Deleted, here and at the server.").wait_for()
        assert '"reports":0' in reader.follow().replace(" ", "")


def claimed(server: str, code: str) -> str:
    """Do what opening the link does, and return the token that it shows."""
    body = json.dumps({"code": code}).encode()
    request = urllib.request.Request(
        f"{server}/v1/claim", body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return str(json.load(response)["token"])


def wait_for(address: str) -> None:
    """Wait until somebody answers at an address."""
    from tests.service.waiting import wait_until

    def answers() -> bool:
        try:
            urllib.request.urlopen(address, timeout=5).close()
        except OSError:
            return False
        return True

    wait_until(answers, address)
