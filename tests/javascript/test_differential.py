"""The JavaScript SDK makes the same report bytes as the Python SDK of the same random cases."""

from __future__ import annotations

from pathlib import Path

from tests.device import differential

from . import sdk

CASES, SEED = 20_000, 16


def test_twenty_thousand_random_cases_give_the_same_bytes(tmp_path: Path) -> None:
    cases = tmp_path / "cases.ndjson"
    with cases.open("w", encoding="utf-8") as file:
        differential.write(SEED, CASES, file)
    assert sdk.run("differential", cases).splitlines()[-1] == f"{CASES} of {CASES}"
