"""The order of rooms is a contract: an import against it fails `make check`, wherever it stands."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = (ROOT / "src/harmony", ROOT / "device/python/src/harmony_device")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of both packages with their contract, to be changed."""
    for source in SOURCES:
        unwanted = shutil.ignore_patterns("__pycache__", "static", "templates")
        shutil.copytree(source, tmp_path / source.name, ignore=unwanted)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = Path(sys.executable).with_name("lint-imports")
    return subprocess.run(
        [command, "--no-logo", "--no-cache"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder)},  # the copy, not what is installed
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_rooms_keep_their_order(copy: Path) -> None:
    said = lint(copy)
    assert said.returncode == 0, said.stdout
    assert "0 broken" in said.stdout


def test_every_room_has_its_place_in_the_order() -> None:
    """What the contract does not name might import anything."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = contract["tool"]["importlinter"]["contracts"][0]["layers"]
    named = {room for layer in layers for room in layer.split(" | ")} - {"harmony_device"}
    rooms = {f"harmony.{one.stem}" for one in SOURCES[0].iterdir() if one.suffix in ("", ".py")}
    assert named == {one for one in rooms if "__" not in one}


@pytest.mark.parametrize(
    ("file", "line", "broken"),
    [
        ("harmony/errors.py", "from .cli import app", "harmony.errors -> harmony.cli"),
        (
            "harmony/tally.py",
            "def later():\n    from .service.settings import Settings\n    return Settings",
            "harmony.tally -> harmony.service.settings",
        ),
        ("harmony/learn/score.py", "import harmony.lab", "harmony.learn.score -> harmony.lab"),
        (
            "harmony_device/tables.py",
            "from harmony.survey import Survey",
            "harmony_device.tables -> harmony.survey",
        ),
    ],
    ids=["at the top", "in a function", "a neighbour above", "from the device"],
)
def test_a_forbidden_import_fails(copy: Path, file: str, line: str, broken: str) -> None:
    with (copy / file).open("a", encoding="utf-8") as source:
        source.write(f"\n\n{line}\n")
    said = lint(copy)
    assert said.returncode != 0
    assert "BROKEN" in said.stdout
    assert broken in said.stdout
