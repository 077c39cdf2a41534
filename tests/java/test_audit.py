"""`harmony audit --device` drives the Java SDK and finds nothing."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

from . import sdk

SURVEY = Path(__file__).parents[2] / "examples" / "phones.yaml"


def test_an_attack_on_the_java_device_stays_below_its_epsilon() -> None:
    device = shlex.join(sdk.command("AuditDevice"))
    harmony = [sys.executable, "-m", "harmony", "audit", str(SURVEY), "--attack", "--json"]
    done = subprocess.run(
        [*harmony, "--samples", "4000", "--device", device],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["violated"] is False
    # The device is really asked: its reports tell more than nothing, and less than they may.
    assert any(attack["lower"] > 0 for attack in found["attacks"])
    assert all(attack["lower"] <= attack["claimed"] for attack in found["attacks"])
