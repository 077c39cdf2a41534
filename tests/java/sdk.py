"""The Java SDK as the tests here run it: built once, and started as processes of its own."""

from __future__ import annotations

import fcntl
import os
import subprocess
from hashlib import sha256
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "device" / "java"
BUILD = FOLDER / "build"
FLAGS = ["-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx96m"]
"""For programs that start often and live for a second."""


class NoJavaError(Exception):
    """What is missing to build and run the SDK."""


def build() -> None:
    """Compile the SDK and its test programs, unless nothing has changed since they were."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp, state = BUILD / "stamp", _state()
        if stamp.exists() and stamp.read_text() == state:
            return
        done = subprocess.run(
            [FOLDER / "build.sh", "programs"], capture_output=True, text=True, check=False
        )
        if done.returncode == 3:
            raise NoJavaError(done.stderr.strip())
        assert done.returncode == 0, done.stderr
        stamp.write_text(state)


def _state() -> str:
    digest = sha256()
    for file in sorted((FOLDER / "src").rglob("*.java")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def command(program: str, *arguments: object, flags: list[str] | None = None) -> list[str]:
    """Return the command that runs a program of the SDK's tests."""
    classes = f"{BUILD / 'classes'}{os.pathsep}{BUILD / 'tests'}"
    told = FLAGS if flags is None else flags
    return ["java", *told, "-cp", classes, f"org.harmonyldp.device.{program}", *map(str, arguments)]


def run(program: str, *arguments: object, standard_input: str = "", seconds: float = 600) -> str:
    """Run a program to its end and return what it printed."""
    done = subprocess.run(
        command(program, *arguments), input=standard_input, capture_output=True, text=True,
        timeout=seconds, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout
