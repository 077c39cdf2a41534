"""Follows a tutorial: writes its files, types its commands, and starts what keeps running.

What a reader would change for their own machine is changed here as well: addresses, paths and the
token that the server showed them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from tests.service.waiting import STUCK_SECONDS, wait_until

from .code_blocks import Block, blocks_of

CLAIM = re.compile(r"https?://\S+/claim\?code=\S+")


class Reader:
    """Somebody who follows a page in an empty folder, block after block."""

    def __init__(self, page: Path, folder: Path, changed: Mapping[str, str]) -> None:
        self.folder = folder
        self._changed = changed
        self._blocks = blocks_of(page.read_text(encoding="utf-8"))
        self._running: list[subprocess.Popen[bytes]] = []
        self._env = dict(os.environ)
        self._env["PATH"] = os.pathsep.join(
            [str(folder / "bin"), str(Path(sys.executable).parent), self._env["PATH"]]
        )
        self.said = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._running:
            one.terminate()
        for one in self._running:
            one.wait(STUCK_SECONDS)

    def know(self, name: str, value: str) -> None:
        """Keep a value as a variable of the terminal."""
        self._env[name] = value

    def follow(self, until: str = "") -> str:
        """Do what the next blocks say, up to one that has this text; return what was printed."""
        self.said = ""
        while self._blocks:
            block = self._blocks.pop(0)
            self._do(block)
            if until and until in block.text:
                return self.said
        assert not until, f"the page has no block with {until!r}"
        return self.said

    def _do(self, block: Block) -> None:
        text = block.text
        for theirs, ours in self._changed.items():
            text = text.replace(theirs, ours)
        if block.title.startswith("terminal"):
            self._start(block.title, text)
        elif block.title:
            name = block.title
            for theirs, ours in self._changed.items():
                name = name.replace(theirs, ours)
            file = self.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif block.language == "sh" and not self._is_for_others(text):
            self._run(text)

    @staticmethod
    def _is_for_others(text: str) -> bool:
        """Whether a block installs, which the tests have done, or stands for what was shown."""
        return "pip install" in text or text.startswith("TOKEN=")

    def _run(self, text: str) -> None:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text],
            cwd=self.folder, env=self._env, capture_output=True, text=True, timeout=120,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{text}{done.stdout}{done.stderr}"
        self.said += done.stdout

    def _start(self, title: str, text: str) -> None:
        log = (self.folder / f"{title}.log").open("wb")
        self._running.append(
            subprocess.Popen(
                ["bash", "-c", re.sub(r"^((?:\w+=\S+ )*)", r"\1exec ", text.strip())],
                cwd=self.folder, env=self._env, stdout=log, stderr=log,
            )
        )  # fmt: skip

    def claim(self, log: str) -> str:
        """Wait for the link that a first start prints, and return its code."""
        file = self.folder / log
        wait_until(lambda: CLAIM.search(file.read_text()) is not None, "the claim link")
        found = CLAIM.search(file.read_text())
        assert found is not None
        return found[0].partition("?code=")[2]
