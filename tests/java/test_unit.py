"""The Java SDK's own tests, JUnit's, pass; among them every file of device/vectors."""

from __future__ import annotations

import re
import subprocess

from . import sdk


def test_the_unit_tests_pass() -> None:
    done = subprocess.run(
        [sdk.FOLDER / "build.sh", "unit"], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert re.search(r"\b0 tests failed", done.stdout), done.stdout[-1000:]
    vectors = {
        name: int(count) for name, count in re.findall(r"vectors of (\w+): (\d+)", done.stdout)
    }
    assert len(vectors) == 13
    assert min(vectors.values()) > 0
