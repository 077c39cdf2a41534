"""The site builds strictly, leads nowhere that is not there, and asks nobody else for anything."""

from __future__ import annotations

import functools
import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.browser.chromium import MISSING, PATIENCE, find_chromium, launched
from tests.browser.test_accessibility import serious

ROOT = Path(__file__).parents[2]
LOADED = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src"}
READ = ("index.html", "is-this-for-me.html", "tutorials/first-survey.html", "reference/api.html")
MOST_BYTES = 1_500_000


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    mkdocs = Path(sys.executable).with_name("mkdocs")
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        [mkdocs, "build", "--strict", "--site-dir", folder],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=250, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


class Page(HTMLParser):
    """What a page links to, what it loads, and its anchors."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = {""}
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {given[key] or "" for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"] or "")
        if tag in LOADED and given.get(LOADED[tag]) and given.get("rel") != "canonical":
            self.loads.append(given[LOADED[tag]] or "")


@pytest.fixture(scope="module")
def parsed(site: Path) -> dict[Path, Page]:
    return {file.resolve(): Page(file) for file in site.rglob("*.html")}


def test_no_link_is_dead(parsed: dict[Path, Page]) -> None:
    dead = []
    for file, page in parsed.items():
        if file.name == "404.html":  # its links are absolute: it is shown anywhere
            continue
        for link in [*page.links, *page.loads]:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            known = target in parsed and unquote(parts.fragment) in parsed[target].anchors
            if not (known or (target.is_file() and target.suffix != ".html")):
                dead.append((file.name, link))
    assert dead == []


def test_nothing_is_loaded_from_elsewhere(parsed: dict[Path, Page]) -> None:
    assert [one for page in parsed.values() for one in page.loads if urlsplit(one).netloc] == []


def test_links_that_leave_are_few_and_https(parsed: dict[Path, Page]) -> None:
    outside = {one for page in parsed.values() for one in page.links if urlsplit(one).scheme}
    local = ("http://localhost:", "http://127.0.0.1:", "mailto:")
    assert {one for one in outside if not one.startswith(("https://", *local))} == set()


def test_every_page_of_the_docs_is_on_the_site(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        assert (site / page.relative_to(ROOT / "docs").with_suffix(".html")).exists(), page


def test_what_harmony_exports_is_in_the_reference(site: Path) -> None:
    import harmony as hm

    shown = (site / "reference/api.html").read_text(encoding="utf-8")
    for name in hm.__all__:
        assert f".{name}" in shown, name


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_browser_asks_nobody_else_and_axe_finds_nothing_serious(address: str) -> None:
    chromium = find_chromium()
    if chromium is None:
        pytest.skip(MISSING)
    with launched(chromium) as browser:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        asked: list[str] = []
        weight = 0

        def hear(response: object) -> None:
            nonlocal weight
            weight += int(response.headers.get("content-length", 0))  # type: ignore[attr-defined]

        page.on("request", lambda one: asked.append(one.url))
        page.on("response", hear)
        for path in READ:
            weight = 0
            page.goto(f"{address}/{path}", wait_until="networkidle")
            assert weight < MOST_BYTES, (path, weight)
            assert serious(page) == [], path
        assert [one for one in asked if not one.startswith((address, "data:", "blob:"))] == []
