"""examples/web in Chromium, on a real server: consent, what was revealed, and forgetting."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from tests.browser.chromium import PATIENCE
from tests.service.server_process import Connection, ServerProcess, free_port

from .test_server_copy import offer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "web"
IMAGES = ROOT / "docs" / "images"
MOST_BYTES = 60_000
DEFAULT_SERVER = "http://localhost:8000"


class Shop(SimpleHTTPRequestHandler):
    """Serves the example, with another server's address in it."""

    def __init__(self, *arguments: Any, server_address: str, **options: Any) -> None:
        self._address = server_address
        super().__init__(*arguments, directory=str(EXAMPLE), **options)

    def do_GET(self) -> None:
        if self.path != "/":
            super().do_GET()
            return
        text = (EXAMPLE / "index.html").read_text(encoding="utf-8")
        assert DEFAULT_SERVER in text
        content = text.replace(DEFAULT_SERVER, self._address).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def shop(port: int, server: str) -> Iterator[str]:
    handler = partial(Shop, server_address=server)
    with ThreadingHTTPServer(("127.0.0.1", port), handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{port}"
        http.shutdown()
        thread.join()


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Where pictures go: docs/images only if HARMONY_SCREENSHOTS says so."""
    return IMAGES if os.environ.get("HARMONY_SCREENSHOTS") else tmp_path


def test_the_example_asks_answers_shows_and_forgets(
    browser: Browser, tmp_path: Path, pictures: Path
) -> None:
    offer()
    place = f"sqlite:///{tmp_path / 'harmony.sqlite'}"
    state = ServiceState(Settings.load(database=place))
    admin = {"Authorization": f"Bearer {state.tokens.create('test', 'admin')[0]}"}
    state.database.close()
    port = free_port()
    origin = f"http://127.0.0.1:{port}"
    log = tmp_path / "server.log"
    with ServerProcess(place, log, cors_origins=[origin]) as server:
        operator = Connection(server.port)
        definition = yaml.safe_load((EXAMPLE / "survey.yaml").read_text())
        assert operator.request("POST", "/v1/surveys", definition, admin)[0] == 201
        rounds = "/v1/surveys/browsers/rounds"
        assert operator.request("POST", rounds, {"label": "day1"}, admin)[0] == 201

        def reports() -> int:
            found = operator.request("GET", f"{rounds}/day1/estimates", None, admin)[1]
            return int(found.get("reports", 0))

        with shop(port, f"http://127.0.0.1:{server.port}") as url:
            context = browser.new_context(viewport={"width": 720, "height": 620})
            context.set_default_timeout(PATIENCE)
            asked: list[str] = []
            context.on("request", lambda request: asked.append(request.url))
            page = context.new_page()
            complaints: list[str] = []
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on(
                "console",
                lambda said: complaints.append(said.text) if said.type == "error" else None,
            )
            page.goto(url)
            page.locator("body[data-ready]").wait_for()
            assert page.get_by_role("dialog").is_visible()
            assert all(address.startswith(url) for address in asked), "asked before consent"
            page.screenshot(path=pictures / "web-banner.png")

            page.get_by_role("button", name="Yes, count me").click()
            page.locator("#ledger tr").wait_for()
            assert page.get_by_role("dialog").count() == 0
            assert "accepted" in page.locator("#ledger").inner_text()
            assert "1 of at most 4" in page.locator("#spent").inner_text()
            assert "at most 2.7" in page.locator("#promise").inner_text()
            page.screenshot(path=pictures / "web-settings.png")
            assert reports() == 1

            page.reload()
            page.locator("body[data-ready]").wait_for()
            assert page.locator("#ledger tr").count() == 1
            assert reports() == 1

            page.locator("#ledger tr").evaluate("row => row.remove()")  # it is shown anew
            page.get_by_role("button", name="Stop, and delete everything").click()
            page.get_by_role("button", name="Take part").wait_for()
            page.wait_for_function("state.textContent.startsWith('You do not take part')")
            assert reports() == 0
            page.locator("#ledger tr").wait_for()  # what was spent stays spent
            assert complaints == []
            context.close()
        operator.close()
        assert server.stop() == 0
    for picture in ("web-banner.png", "web-settings.png"):
        assert 0 < (pictures / picture).stat().st_size < MOST_BYTES
