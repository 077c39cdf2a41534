"""Both ways of the bulk path, whatever the work."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harmony.bulk import backend, reference


@pytest.fixture(params=["reference", "kernels"])
def either_backend(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run a test with the reference, and again with the kernels."""
    with backend.using(reference if request.param == "reference" else backend.load()):
        yield
