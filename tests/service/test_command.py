"""The command itself: what it prints at its first start, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from .server_process import free_port
from .waiting import STUCK_SECONDS


def command(*flags: str) -> list[str]:
    return [sys.executable, "-m", "harmony.service", *flags]


def test_the_first_start_prints_one_claim_link_and_a_stop_is_no_failure(tmp_path: Path) -> None:
    flags = [f"--database={tmp_path / 'x.db'}", f"--port={free_port()}", "--log-format=json"]
    with subprocess.Popen(command(*flags), stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        printed = ""
        while "startup complete" not in printed:
            line = server.stderr.readline()
            assert line, printed
            printed += line
        links = re.findall(r"http://\S+/claim\?code=\S+", printed)
        assert len(links) == 1
        with urllib.request.urlopen(links[0], timeout=STUCK_SECONDS) as page:
            assert b"Show my admin token" in page.read()
        os.kill(server.pid, signal.SIGTERM)
        printed += server.stderr.read()
        assert server.wait(STUCK_SECONDS) == 0
    assert '"event": "stopped"' in printed


def test_a_wrong_flag_or_database_is_named(tmp_path: Path) -> None:
    for flags, said in (
        (["--port=99999"], "'port'"),
        (["--database=mysql://x"], "'database'"),
        ([f"--config={tmp_path}/none.toml"], "none.toml"),
    ):
        done = subprocess.run(
            command(*flags), capture_output=True, text=True, timeout=STUCK_SECONDS
        )
        assert done.returncode == 2
        assert said in done.stderr
        assert "Traceback" not in done.stderr
