"""The JavaScript SDK in Node and Chromium; what is missing skips these tests, but not in CI."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.chromium import MISSING, find_chromium, launched

from . import sdk

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(autouse=True, scope="session")
def node() -> None:
    """Find Node, or skip: NEEDS_NODE=1 makes that an error."""
    try:
        sdk.node()
    except sdk.NoNodeError as missing:
        if os.environ.get("NEEDS_NODE"):
            raise
        warnings.warn(str(missing), stacklevel=1)
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = find_chromium()
    if path is None:
        warnings.warn(MISSING, stacklevel=1)
        pytest.skip(MISSING)
    with launched(path) as browser:
        yield browser
