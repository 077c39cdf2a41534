"""The published jar: classes of the SDK alone, the same bytes every time, the SDKs' one version."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import harmony_device

from . import sdk


def jar_of(folder: Path) -> Path:
    """Build the jar from a copy of the sources, somewhere else."""
    java = folder / "device" / "java"
    shutil.copytree(sdk.FOLDER, java, ignore=shutil.ignore_patterns("build"))
    shutil.copy(sdk.FOLDER.parents[1] / "LICENSE", folder)
    subprocess.run([java / "build.sh", "jar"], capture_output=True, check=True, cwd=folder)
    return next((java / "build").glob("*.jar"))


def test_the_jar_holds_the_sdk_alone_and_is_reproducible(tmp_path: Path) -> None:
    one, other = jar_of(tmp_path / "one"), jar_of(tmp_path / "two")
    assert one.read_bytes() == other.read_bytes()
    names = zipfile.ZipFile(one).namelist()
    assert names[:2] == ["META-INF/MANIFEST.MF", "META-INF/LICENSE"]
    assert all(re.fullmatch(r"org/harmonyldp/device/[\w$]+\.class", name) for name in names[2:])
    assert not {"Vectors", "FakeServer", "AuditDevice"} & {Path(name).stem for name in names}


def test_both_sdks_have_one_version_and_the_pom_no_dependency() -> None:
    pom = (sdk.FOLDER / "pom.xml").read_text()
    assert f"<version>{harmony_device.__version__}</version>" in pom
    assert "<dependency>" not in pom
    assert "<plugin>" not in pom
    assert "<groupId>org.harmony-ldp</groupId>" in pom
    assert "<artifactId>device</artifactId>" in pom


def test_the_readme_compiles(tmp_path: Path) -> None:
    text = (sdk.FOLDER / "README.md").read_text()
    example = re.search(r"```java\n(.*?)```", text, re.DOTALL)
    assert example is not None
    (tmp_path / "Statistics.java").write_text(example.group(1))
    compiler = ["javac", "--release", "11", "-Xlint:all,-try", "-Werror", "-d", str(tmp_path)]
    done = subprocess.run(
        [*compiler, "-cp", str(sdk.BUILD / "classes"), str(tmp_path / "Statistics.java")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
