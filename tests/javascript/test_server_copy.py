"""The server offers the SDK itself: /sdk/device.js leads to bytes that never change."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import harmony
from harmony.service.api import sdk as served
from harmony.service.app import Application
from harmony.service.settings import Settings
from harmony.service.state import ServiceState

from . import sdk

ORIGIN = "https://shop.example"


def offer() -> bytes:
    """Do what `make sdk` does, and return the bundle."""
    place = Path(harmony.__file__).parent / "service" / "static" / "device.js"
    place.parent.mkdir(exist_ok=True)
    shutil.copy(sdk.build() / "full.min.js", place)
    served.bundle.cache_clear()
    return place.read_bytes()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    place = f"sqlite:///{tmp_path / 'harmony.sqlite'}"
    state = ServiceState(Settings.load(database=place, cors_origins=[ORIGIN]))
    with TestClient(Application(state), follow_redirects=False) as client:
        yield client


def test_one_address_leads_to_the_version_that_is_kept_for_good(client: TestClient) -> None:
    content = offer()
    newest = client.get("/sdk/device.js", headers={"Origin": ORIGIN})
    assert newest.status_code == 307
    assert newest.headers["cache-control"] == "public, max-age=300"
    assert newest.headers["access-control-allow-origin"] == ORIGIN
    where = newest.headers["location"]
    assert where.startswith(f"/sdk/{harmony.__version__}-")
    kept = client.get(where, headers={"Origin": ORIGIN, "Accept-Encoding": "identity"})
    assert kept.content == content
    assert kept.headers["content-type"] == "text/javascript; charset=utf-8"
    assert kept.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert kept.headers["x-content-type-options"] == "nosniff"
    assert kept.headers["access-control-allow-origin"] == ORIGIN
    elsewhere = client.get(where, headers={"Origin": "https://other.example"})
    assert "access-control-allow-origin" not in elsewhere.headers


def test_it_is_compressed_for_those_who_can_read_that(client: TestClient) -> None:
    content = offer()
    where = client.get("/sdk/device.js").headers["location"]
    kept = client.get(where, headers={"Accept-Encoding": "gzip"})
    assert kept.headers["content-encoding"] == "gzip"
    assert int(kept.headers["content-length"]) <= 13_000  # with trainings; surveys alone: 10_000
    assert kept.content == content


def test_another_version_is_not_there(client: TestClient) -> None:
    offer()
    assert client.get("/sdk/0.0.1-000000000000/device.js").status_code == 404
