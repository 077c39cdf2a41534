"""The JavaScript SDK as the tests here run it: in Node, and built for browsers once."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "device" / "javascript"
SUPPORT = FOLDER / "tests" / "support"
DIST = FOLDER / "dist"

MISSING = (
    "NO NODE: the tests of the JavaScript SDK DO NOT RUN on this machine. Install Node 18 or "
    "newer with npm (Debian: apt-get install nodejs npm)."
)


class NoNodeError(Exception):
    """What is missing to run or build the SDK."""


def node() -> str:
    """Return where Node is."""
    found = shutil.which("node")
    if found is None:
        raise NoNodeError(MISSING)
    return found


def command(program: str, *arguments: object) -> list[str]:
    """Return the command that runs a program of the SDK's tests."""
    return [node(), str(SUPPORT / f"{program}.mjs"), *map(str, arguments)]


def run(program: str, *arguments: object, standard_input: str = "", seconds: float = 600) -> str:
    """Run a program to its end and return what it printed."""
    done = subprocess.run(
        command(program, *arguments), input=standard_input, capture_output=True, text=True,
        timeout=seconds, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def npm(*words: str) -> str:
    """Run npm in the SDK's folder and return what it printed."""
    found = shutil.which("npm")
    if found is None:
        raise NoNodeError(MISSING)
    done = subprocess.run(
        [found, "--silent", *words],
        cwd=FOLDER, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


def build() -> Path:
    """Build the bundles, unless nothing has changed, and return their folder."""
    DIST.mkdir(exist_ok=True)
    with (DIST / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp, state = DIST / "stamp", _state()
        if not stamp.exists() or stamp.read_text() != state:
            if not (FOLDER / "node_modules").exists():
                npm("install")
            npm("run", "bundle")
            stamp.write_text(state)
    return DIST


def _state() -> str:
    digest = sha256((FOLDER / "package.json").read_bytes())
    for file in [*sorted((FOLDER / "src").rglob("*.js")), FOLDER / "build.mjs"]:
        digest.update(file.read_bytes())
    return digest.hexdigest()
