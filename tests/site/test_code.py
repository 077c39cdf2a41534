"""The Python of the README and the guides runs, and prints what the pages show."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .code_blocks import ROOT, agrees, blocks_of, examples_of, needs_server, pages, run

PAGES = {str(one.relative_to(ROOT)): one for one in pages()}
TABLES = runpy.run_path(str(ROOT / "docs" / "tables.py"))
RUN_BY_TESTS = ("docs/tutorials/web-page.md", "docs/tutorials/deploy.md", "docs/learning.md")
"""Pages whose other blocks have tests of their own."""


@pytest.mark.parametrize("name", PAGES)
def test_the_code_of_a_page_prints_what_the_page_shows(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "page"}
    for example in examples_of(PAGES[name].read_text(encoding="utf-8")):
        if needs_server(example):
            continue
        given = run(example.code.text, names)
        if example.shown is not None:
            assert agrees(example.shown.text, given), f"run `make outputs`; now it is\n{given}"


@pytest.mark.parametrize("name", [one for one in PAGES if one not in RUN_BY_TESTS])
def test_the_commands_of_a_page_work(name: str, tmp_path: Path) -> None:
    """In a folder that has the repository's examples; what installs is not run again."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for block in blocks_of(PAGES[name].read_text(encoding="utf-8")):
        if block.language != "sh" or "pip install" in block.text:
            continue
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block.text],
            cwd=tmp_path, env=os.environ | {"PATH": path}, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{block.text}{done.stderr}"


@pytest.mark.parametrize("name", PAGES)
def test_every_block_of_a_page_is_of_a_kind_that_tests_know(name: str) -> None:
    for block in blocks_of(PAGES[name].read_text(encoding="utf-8")):
        is_file = bool(block.title) and name in RUN_BY_TESTS
        assert block.language in ("python", "text", "sh") or is_file, block


@pytest.mark.parametrize("name", TABLES["TABLES"])
def test_the_tables_of_the_guides_are_those_of_the_code(name: str) -> None:
    place, content = TABLES["written"](name)
    assert place.read_text(encoding="utf-8") == content, "run `make docs`"


def test_installing_names_extras_that_exist() -> None:
    import re
    import tomllib

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = extras["optional-dependencies"].keys()
    for page in PAGES.values():
        for named in re.findall(r"(?:harmony|harmony-ldp|\.)\[([a-z,]+)\]", page.read_text()):
            assert set(named.split(",")) <= known, (page, named)
