"""Prints a requirements file with the hash of every package that an extra needs.

    python deploy/hashes.py service > requirements.txt
    pip install --require-hashes --requirement requirements.txt

The versions are those of constraints.txt; the hashes, those of the files that pip takes on this
platform and Python.  Harmony's own packages are left out: they are what is being released.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OURS = ("harmony-ldp-device", "harmony-ldp")


def resolved(extra: str) -> Any:
    """Return pip's report of what it would install into an empty environment."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run(
            [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install",
             "--dry-run", "--ignore-installed", "--report", report,
             "--constraint", ROOT / "constraints.txt",
             ROOT / "device/python", f"{ROOT}[{extra}]"],
            check=True,
        )  # fmt: skip
        return json.loads(report.read_text())


def requirements(report: Any) -> str:
    """Return the lines of a requirements file, in alphabetical order."""
    lines = []
    for one in report["install"]:
        name, version = one["metadata"]["name"], one["metadata"]["version"]
        if name not in OURS:
            found = one["download_info"]["archive_info"]["hashes"]["sha256"]
            lines.append(f"{name}=={version} --hash=sha256:{found}\n")
    return "".join(sorted(lines, key=str.lower))


if __name__ == "__main__":
    sys.stdout.write(requirements(resolved(sys.argv[1])))
