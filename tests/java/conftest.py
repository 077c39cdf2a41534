"""The Java SDK, compiled; where it cannot be, these tests are skipped, but not in CI."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import sdk


@pytest.fixture(autouse=True, scope="session")
def java() -> None:
    """Build the SDK, or skip: NEEDS_JAVA=1 makes that an error."""
    try:
        sdk.build()
    except sdk.NoJavaError as missing:
        if os.environ.get("NEEDS_JAVA"):
            raise
        pytest.skip(f"the Java SDK is not tested here ({missing})")


@pytest.fixture
def quick_folder() -> Iterator[Path]:
    """A folder in memory where there is one: no test here cuts the power."""
    shared = Path("/dev/shm")
    place = str(shared) if os.access(shared, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="harmony-java-", dir=place))
    yield folder
    shutil.rmtree(folder)
