"""The tutorial on deployment, followed to its end, with stand-ins for systemd and the proxy.

`systemctl enable --now harmony` starts what the unit says, with its environment; `journalctl`
shows what that printed; `https://stats.example.org` is the server's own port.
"""

from __future__ import annotations

import configparser
import json
import os
import sys
import urllib.request
from pathlib import Path

from tests.service.server_process import free_port
from tests.service.waiting import wait_until

from .shell import Reader
from .test_web_tutorial import claimed, wait_for

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorials" / "deploy.md"

SYSTEMCTL = """#!/usr/bin/env python3
import os, subprocess, sys
from pathlib import Path

if sys.argv[1:] == ["reload", "caddy"]:
    assert "reverse_proxy" in Path("etc/caddy/Caddyfile").read_text()
else:
    assert sys.argv[1:] == ["enable", "--now", "harmony"], sys.argv
    environment, start = dict(os.environ), ""
    for line in Path("etc/systemd/system/harmony.service").read_text().splitlines():
        name, _, value = line.partition("=")
        if name == "Environment":
            key, _, setting = value.partition("=")
            environment[key] = setting.replace("/etc/", os.getcwd() + "/etc/")
        elif name == "ExecStart":
            start = value.replace("/opt/", os.getcwd() + "/opt/")
    environment.pop("NUMBA_CACHE_DIR", None)
    log = open("harmony.log", "wb")
    place = "var/lib/harmony"
    started = subprocess.Popen(start.split(), cwd=place, env=environment, stdout=log, stderr=log)
    Path("harmony.pid").write_text(str(started.pid))
"""
JOURNALCTL = """#!/bin/sh
for _ in $(seq 600); do grep -q claim harmony.log && break; sleep 0.1; done
cat harmony.log
"""


def test_a_reader_gets_to_the_end(tmp_path: Path) -> None:
    port = free_port()
    for folder in ("bin", "opt/harmony", "etc/systemd/system", "var/lib/harmony", "var/backups"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "opt/harmony/bin").symlink_to(Path(sys.executable).parent)
    (tmp_path / "deploy").symlink_to(ROOT / "deploy")
    for name, text in (("systemctl", SYSTEMCTL), ("journalctl", JOURNALCTL)):
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    changed = {
        "https://stats.example.org": f"http://localhost:{port}",
        "127.0.0.1:8000": f"127.0.0.1:{port}",
        'log_format = "json"': f'log_format = "json"\nport = {port}',
        "/opt/harmony": "opt/harmony",
        "/etc/": "etc/",
        "/var/": "var/",
    }
    with Reader(PAGE, tmp_path, changed) as reader:
        try:
            said = reader.follow(until="journalctl")
            code = said.partition("?code=")[2].split()[0]
            wait_for(f"http://localhost:{port}/readyz")
            reader.know("TOKEN", claimed(f"http://localhost:{port}", code))
            tokens = reader.follow(until="app-key.json")
            assert '"Grace"' in tokens
            assert '"phones"' in reader.follow(until="schedule=weekly")
            wait_until(lambda: has_round(port), "the schedule to open a round")
            answered = reader.follow(until="python app.py")
            assert "<Visit: answered 1, accepted 1, waiting 0>" in answered
            assert "epsilon 0.5 on" in answered
            assert "battery" in reader.follow(until="estimates.csv")
            assert "all is well" in reader.follow(until="harmony check")
            assert 'harmony_reports_total{outcome="accepted"} 1.0' in reader.follow()
        finally:
            if (tmp_path / "harmony.pid").exists():
                os.kill(int((tmp_path / "harmony.pid").read_text()), 15)


def has_round(port: int) -> bool:
    """Whether devices find something to answer."""
    with urllib.request.urlopen(f"http://localhost:{port}/v1/surveys", timeout=30) as response:
        return json.load(response)["surveys"][0]["round"] is not None


def test_the_unit_of_the_tutorial_is_the_one_that_ships() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.read(ROOT / "deploy" / "harmony.service")
    assert unit["Service"]["ExecStart"] == "/opt/harmony/bin/harmony serve"
    assert "/etc/harmony.toml" in (ROOT / "deploy" / "harmony.service").read_text()
