"""The JavaScript SDK's own tests, of Node's test runner, pass; every vector is among them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from . import sdk

EXAMPLE = Path(__file__).parents[2] / "examples" / "phones.yaml"


def test_the_unit_tests_pass() -> None:
    files = sorted(map(str, (sdk.FOLDER / "tests").glob("*.test.mjs")))
    done = subprocess.run(
        [sdk.node(), "--test", *files], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, "".join(re.findall(r"(?ms)^ *not ok .*?^ *\.\.\.$", done.stdout))
    assert re.search(r"fail 0\b", done.stdout)
    vectors = re.search(r"vectors: (\d+)", done.stdout)
    assert vectors is not None
    assert int(vectors[1]) > 1000


def test_the_bundles_pass_them_too_whatever_short_names_they_have() -> None:
    tests = sdk.build().parent / "tests"
    for bundle, names in {
        "full": ["device", "directory", "faults", "storage"],
        "explorations": ["silence"],
    }.items():
        done = subprocess.run(
            [sdk.node(), "--test", *(str(tests / f"{name}.test.mjs") for name in names)],
            env=os.environ | {"HARMONY_BUNDLE": f"{bundle}.min.js"},
            capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip
        assert done.returncode == 0, "".join(
            re.findall(r"(?ms)^ *not ok .*?^ *\.\.\.$", done.stdout)
        )
        assert re.search(r"fail 0\b", done.stdout)


def test_an_attack_on_the_javascript_device_stays_below_its_epsilon() -> None:
    harmony = [sys.executable, "-m", "harmony", "audit", str(EXAMPLE), "--attack", "--json"]
    done = subprocess.run(
        [*harmony, "--samples", "4000", "--device", " ".join(sdk.command("audit_device"))],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["violated"] is False
    assert any(attack["lower"] > 0 for attack in found["attacks"])
    assert all(attack["lower"] <= attack["claimed"] for attack in found["attacks"])
