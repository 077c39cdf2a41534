"""Web pages with the SDK, and the server that they talk to, on one origin."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.device.fake_server import Answer

from .honest import CORS, Rounds

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

DEVICE = Path(__file__).parents[2] / "device"
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json"}

SETUP = """
globalThis.started = Date.now();
globalThis.realNow = Date.now;
Date.now = () => started + (realNow() - started) * 1000;
globalThis.deviceOf = async (module, options) => {
    const { Device } = await import(module);
    return new Device(location.origin, {
        record: { battery: Number, wifi: Boolean, age: Number },
        consent: true,
        epsilonLimit: 1e9,
        ...options,
    });
};
globalThis.visit = async (module = "/device/javascript/src/index.js", options = {}) => {
    const device = await deviceOf(module, options);
    const visit = await device.answer({ battery: 33, wifi: true, age: 33 });
    return { ...visit, warnings: [...visit.warnings] };
};
"""
"""Of pages and workers: their clock is fast, so that pauses after a failure cost nothing."""

PAGE = f"<!doctype html><title>Page</title><body><script>{SETUP}</script>"
WORKER = SETUP + "onmessage = async () => postMessage(await visit());"


class Pages(Rounds):
    """Serves the SDK's files, an empty page and a worker, beside the protocol."""

    def handle(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> Answer | None:
        if path == "/page":
            return 200, {"Content-Type": "text/html"}, PAGE.encode()
        if path == "/worker.js":
            return 200, {"Content-Type": "text/javascript"}, WORKER.encode()
        if path.startswith("/device/"):
            file = DEVICE / path.removeprefix("/device/")
            return 200, {"Content-Type": TYPES[file.suffix], **CORS}, file.read_bytes()
        if path == "/favicon.ico":
            return 404, {}, b""
        return super().handle(method, path, headers, body)


def opened(context: BrowserContext, url: str) -> Page:
    """Open a page that can visit."""
    page = context.new_page()
    page.goto(f"{url}/page")
    return page


def ledger_of(page: Page) -> list[dict[str, Any]]:
    """Return the lines of the ledger in the browser's store, in the words of the file."""
    entries = page.evaluate(
        "async () => (await deviceOf('/device/javascript/src/index.js', {})).ledger()"
    )
    return [{"event": "answered", **entry} for entry in entries]
