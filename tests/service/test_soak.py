"""A short soak on each database: what `make test-soak` does for ten minutes."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from .postgres import Postgres
from .soak import Soak

pytestmark = pytest.mark.timeout(1200)

SECONDS = 8.0


@pytest.mark.parametrize("workers", [1, 2])
def test_nothing_is_lost_or_double_whatever_happens_to_a_server(
    workers: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    place = str(tmp_path / "harmony.db")
    if workers > 1:
        postgres: Postgres = request.getfixturevalue("postgres")
        place = postgres.fresh()
    soak = Soak(tmp_path, place, workers, Random(1))
    soak.run(SECONDS, devices=8)
    assert soak.check() > 0
    assert soak.deleted
    assert soak.events["kills"]
    assert soak.events["rounds"]
    assert len(soak.backups) > 0 or workers > 1
