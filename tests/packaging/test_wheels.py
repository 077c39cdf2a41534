"""Both wheels in an empty virtualenv, away from the source tree: what a new user installs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

if not os.environ.get("NEEDS_WHEELS"):
    pytest.skip("`make test-wheels` runs these: they build and install", allow_module_level=True)

pytestmark = pytest.mark.timeout(900)

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
START_SECONDS = 60
SURVEY = {
    "name": "phones",
    "epsilon": 1,
    "attributes": [
        {"name": "battery", "kind": "numeric", "low": 0, "high": 100},
        {"name": "theme", "kind": "categorical", "values": ["light", "dark", "auto"]},
    ],
}
"""What the README's device can answer."""

PUBLISH = """
import json, sys, urllib.request
claim, survey = sys.argv[1:]
server, code = claim.split("/claim?code=")

def call(path, body, token=None):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(server + path, json.dumps(body).encode(), headers)
    return json.load(urllib.request.urlopen(request, timeout=30))

token = call("/v1/claim", {"code": code})["token"]
call("/v1/surveys", json.load(open(survey)), token)
call("/v1/surveys/phones/rounds", {"label": "2026-W46"}, token)
"""


class Installed:
    """A virtualenv that has the two wheels and what they depend on, and a folder to work in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        self.bin = folder / "venv" / "bin"
        wheels = folder / "wheels"
        pip = ("-m", "pip", "--quiet", "--disable-pip-version-check")
        build = ("wheel", "--no-deps", "--wheel-dir", str(wheels))
        run(sys.executable, *pip, *build, str(ROOT / "device" / "python"), str(ROOT))
        self.wheels = sorted(one.name for one in wheels.iterdir())
        run(sys.executable, "-m", "venv", str(folder / "venv"))
        pins = ("install", "--constraint", str(ROOT / "constraints.txt"))
        device, whole = (str(wheels / name) for name in reversed(self.wheels))
        run(str(self.bin / "python"), *pip, *pins, device, f"{whole}[service]")

    def python(self, *arguments: str) -> str:
        """Run Python there; return what it printed."""
        return run(str(self.bin / "python"), *arguments, folder=self.folder)


def run(*command: str, folder: Path | None = None) -> str:
    environment = {key: text for key, text in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("wheels"))


def test_the_packages_have_names_that_are_ours(installed: Installed) -> None:
    names = [name.partition("-")[0] for name in installed.wheels]
    assert names == ["harmony_ldp", "harmony_ldp_device"]
    listed = installed.python("-m", "pip", "list", "--format=freeze")
    assert "harmony-ldp-device==" in listed
    assert not re.search(r"^harmony-device==", listed, re.M)


def test_the_code_comes_from_the_wheels(installed: Installed) -> None:
    for name in ("harmony", "harmony_device"):
        where = installed.python("-c", f"import {name}; print({name}.__file__)")
        assert where.startswith(str(installed.bin.parent))


def test_the_readmes_example_prints_what_the_readme_shows(installed: Installed) -> None:
    found = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.S)
    assert found is not None
    example, shown = found.groups()
    assert installed.python("-c", example).split() == shown.split()


def test_the_wheel_brings_the_javascript_sdk_and_the_pages(installed: Installed) -> None:
    code = (
        "from harmony.service.api.sdk_modules import CHECKOUT, modules\n"
        "from harmony.service.dashboard.assets import OWN, asset\n"
        "print(CHECKOUT.exists(), 'index.js' in modules().files, all(map(asset, OWN)))"
    )
    assert installed.python("-c", code).split() == ["False", "True", "True"]


def test_the_bundle_of_the_wheel_takes_part_in_trainings(installed: Installed) -> None:
    code = (
        "from harmony.service.api.sdk import bundle\n"
        "print(bundle() is None or b'trainings/' in bundle().content)"
    )
    assert installed.python("-c", code).split() == ["True"]


@pytest.fixture
def claim(installed: Installed) -> Iterator[str]:
    """The link that `harmony serve` prints, which makes its reader the admin."""
    command = [str(installed.bin / "harmony"), "serve", "--port", "0"]
    with subprocess.Popen(
        command, cwd=installed.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        assert server.stdout is not None
        try:
            for line in server.stdout:
                if link := re.search(r"http://\S+/claim\?code=\S+", line):
                    yield link[0]
                    break
        finally:
            server.terminate()
            server.communicate(timeout=START_SECONDS)


def test_the_readmes_device_answers_the_example_survey(installed: Installed, claim: str) -> None:
    survey = installed.folder / "phones.json"
    survey.write_text(json.dumps(SURVEY))
    installed.python("-c", PUBLISH, claim, str(survey))
    found = re.search(
        r"```python\n(from harmony_device .*?)```\n\n```text\n(.*?)\n```", README, re.S
    )
    assert found is not None
    example, shown = found.groups()
    server = claim.partition("/claim")[0]
    said = installed.python("-c", example.replace("http://localhost:8000", server))
    assert said.strip() == shown
