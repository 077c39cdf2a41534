"""Mutated requests to every route: a few of those that `make test-mutated` sends.

The requests are the same in every run.  What they meet differs a little, because ids are random.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from .conftest import recount
from .mutated import run
from .mutations import Mutator, Request
from .postgres import Postgres

pytestmark = pytest.mark.timeout(900)

REQUESTS = 1500
MOST_GROWTH = 150
"""MiB: what a server loads when it is first asked for it counts here; `make test-mutated`, which
measures after that, allows 50."""


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_no_mutated_request_fails_hangs_or_shows_in_the_log(
    database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    place = ""
    if database == "postgres":
        postgres: Postgres = request.getfixturevalue("postgres")
        place = postgres.fresh()
    found, target = run(tmp_path, REQUESTS, place=place)
    assert not found.failures, found.failures[0]
    assert found.growth < MOST_GROWTH
    assert sum(found.statuses.values()) == REQUESTS > 10 * target.routes
    assert {200, 201, 400, 401, 403, 404, 405, 422} <= found.statuses.keys()
    for entry in target.state.catalogue.survey("phones").rounds.values():
        assert target.state.catalogue.tally(entry) == recount(target.state, entry.live)


def test_the_same_seed_makes_the_same_requests() -> None:
    request = Request("POST", "/v1/x", (("Host", "x"),), document={"a": [1, {"b": "c"}]})

    def made(seed: int) -> list[bytes]:
        mutator = Mutator(Random(seed), (("Authorization", "Bearer x"),))
        return [mutator.mutate(request) for _ in range(200)]

    assert made(1) == made(1) != made(2)
    assert len(set(made(1))) > 150
