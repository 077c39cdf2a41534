"""The JavaScript SDK without a build: modules that a browser loads as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import harmony
from harmony.service.api import sdk, sdk_modules
from harmony.service.app import Application
from harmony.service.settings import Settings
from harmony.service.state import ServiceState

SOURCES = Path(__file__).parents[2] / "device" / "javascript" / "src"
IMPORT = re.compile(r'^(?:import|export)\b[^;"]*\bfrom\s*"([^"]+)"', re.M)


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A server that was installed without the bundle."""
    monkeypatch.setattr(sdk, "files", lambda _: tmp_path)
    sdk.bundle.cache_clear()
    sdk_modules.modules.cache_clear()
    state = ServiceState(Settings.load(database=f"sqlite:///{tmp_path / 'harmony.sqlite'}"))
    with TestClient(Application(state), follow_redirects=False) as client:
        yield client
    sdk.bundle.cache_clear()
    sdk_modules.modules.cache_clear()


def test_without_a_bundle_the_one_line_leads_to_the_modules(client: TestClient) -> None:
    newest = client.get("/sdk/device.js")
    assert newest.status_code == 307
    where = newest.headers["location"]
    assert re.fullmatch(rf"/sdk/{harmony.__version__}-[0-9a-f]{{12}}/modules/index\.js", where)
    served = client.get(where)
    assert served.content == (SOURCES / "index.js").read_bytes()
    assert served.headers["content-type"] == "text/javascript; charset=utf-8"
    assert served.headers["cache-control"] == "public, max-age=31536000, immutable"


def test_every_import_of_a_module_is_served_and_none_needs_node(client: TestClient) -> None:
    base = client.get("/sdk/device.js").headers["location"].removesuffix("index.js")
    waiting, seen = ["index.js", "memory.js", "core.js"], set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        served = client.get(base + path)
        assert served.status_code == 200, path
        for target in IMPORT.findall(served.text):
            assert target.startswith("."), f"{path} imports {target}, which needs a build"
            folder = (Path("/") / path).parent
            waiting.append(str((folder / target).resolve()).lstrip("/"))
    assert len(seen) > 20


@pytest.mark.parametrize(
    "path", ["node.js", "nothing.js", "../package.json", "..%2fpackage.json", "stores/", ""]
)
def test_nothing_else_is_served(client: TestClient, path: str) -> None:
    base = client.get("/sdk/device.js").headers["location"].removesuffix("index.js")
    assert client.get(base + path).status_code == 404
    assert client.get(f"/sdk/0.0.1-000000000000/modules/{path}").status_code == 404


def test_an_installed_server_takes_the_copy_that_the_wheel_brought(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sdk_modules, "CHECKOUT", tmp_path / "nowhere")
    monkeypatch.setattr(sdk_modules, "files", lambda _: tmp_path)
    sdk_modules.modules.cache_clear()
    answer = client.get("/sdk/device.js")
    assert answer.status_code == 404
    assert "built without the JavaScript SDK" in answer.json()["detail"]
    copy = tmp_path / "static" / "modules"
    copy.mkdir(parents=True)
    (copy / "index.js").write_text("export {};")
    assert client.get(client.get("/sdk/device.js").headers["location"]).text == "export {};"
