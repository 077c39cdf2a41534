"""What a release needs is in order: versions, the changelog, hashes."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import harmony
import harmony_device

ROOT = Path(__file__).parents[1]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_both_packages_have_one_version_with_a_dated_entry_in_the_changelog() -> None:
    assert harmony.__version__ == harmony_device.__version__
    dated = re.findall(r"^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$", CHANGELOG, re.M)
    assert dated[0] == harmony.__version__
    assert CHANGELOG.index("## Unreleased") < CHANGELOG.index(f"## {dated[0]}")


def test_every_third_party_package_is_written_with_its_hash() -> None:
    def found(name: str, version: str, digest: str) -> dict[str, Any]:
        archive = {"archive_info": {"hashes": {"sha256": digest}}}
        return {"metadata": {"name": name, "version": version}, "download_info": archive}

    report = {"install": [found("b", "2", "22"), found("A", "1", "11")]}
    report["install"].append({"metadata": {"name": "harmony-ldp", "version": "0.1.0"}})
    written = runpy.run_path(str(ROOT / "deploy/hashes.py"))["requirements"](report)
    assert written == "A==1 --hash=sha256:11\nb==2 --hash=sha256:22\n"
