"""What the whole suite shares: slow rooms come first, and `--shuffle SEED` runs it in any order."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import groupby
from random import Random

import pytest
from hypothesis import HealthCheck, settings

# There is a process for each core already: threads of BLAS would wait for each other, which on
# a busy machine takes most of the time.  The suite's workers and servers inherit it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# No test hangs on chance or on how fast the machine is: fixed examples, without a deadline each.
settings.register_profile(
    "harmony", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("harmony")

SLOW = ("service", "browser", "cli", "site", "bulk", "device")
"""Rooms of tests that wait for servers, browsers and disks, longest first: what is quick fills the
gaps that they leave, and nobody waits for the last of them alone."""


@pytest.fixture(scope="session", autouse=True)
def logs_without_secrets() -> Iterator[None]:
    """Read all logs after the suite: whatever the tests did, they hold nothing that was sent."""
    yield
    from tests.service import logs_read

    logs_read.check()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--shuffle", type=int, metavar="SEED", help="shuffle the files, and the tests in each"
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order or shuffle; the tests of a file stay together, for they share what is slow to start."""
    seed = config.getoption("--shuffle")
    if seed is None:
        items.sort(key=lambda item: _turn(item.path.relative_to(config.rootpath).parts))
        return
    random = Random(seed)
    by_file = [list(group) for _, group in groupby(items, key=lambda item: item.path)]
    random.shuffle(by_file)
    for tests in by_file:
        random.shuffle(tests)
    items[:] = [test for tests in by_file for test in tests]


def _turn(parts: Sequence[str]) -> int:
    """Return when a file's room has its turn, from the parts of its path.

    >>> _turn(["tests", "service", "test_api.py"]) < _turn(["src", "harmony", "survey.py"])
    True
    """
    room = parts[1] if parts[0] == "tests" else ""
    return SLOW.index(room) if room in SLOW else len(SLOW)
