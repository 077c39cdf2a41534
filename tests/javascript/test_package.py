"""What is published: the SDK alone, with types, without dependencies, as small as promised."""

from __future__ import annotations

import json
import re

import harmony_device

from . import sdk


def test_both_sdks_have_one_version_and_the_package_no_dependency() -> None:
    package = json.loads((sdk.FOLDER / "package.json").read_text())
    assert package["version"] == harmony_device.__version__
    assert not package.keys() & {"dependencies", "peerDependencies", "optionalDependencies"}


def test_sources_import_nothing_but_themselves_and_node() -> None:
    for file in sorted((sdk.FOLDER / "src").rglob("*.js")):
        found = re.findall(r'(?:from|import) "([^"]+)"', file.read_text())
        elsewhere = {name for name in found if not name.startswith(("./", "../", "node:"))}
        assert not elsewhere, file
        uses_node = any(name.startswith("node:") for name in found)
        assert not uses_node or file.name in {"node.js", "directory.js", "directory_lock.js"}


def test_the_package_has_sources_types_and_bundles_and_they_check() -> None:
    sdk.build()
    packed = json.loads(sdk.npm("pack", "--dry-run", "--json", "--foreground-scripts=false"))
    names = {one["path"] for one in packed[0]["files"]}
    assert {
        "package.json",
        "README.md",
        "dist/device.min.js",
        "dist/full.min.js",
        "types/index.d.ts",
    } <= names
    assert not {name for name in names if name.startswith(("tests", "node_modules"))}
    exported = json.loads((sdk.FOLDER / "package.json").read_text())["exports"]
    for target in exported.values():
        for place in [target] if isinstance(target, str) else target.values():
            assert place.removeprefix("./") in names
    declared = (sdk.FOLDER / "types" / "device.d.ts").read_text()
    assert "epsilonLimit: number | import" in declared


def test_the_bundles_are_as_small_as_promised() -> None:
    sdk.build()
    said = sdk.npm("run", "size")
    sizes = {name: int(size) for name, size in re.findall(r"(\w+)\.min.*, (\d+) gzipped", said)}
    assert sizes["core"] <= 3000
    assert sizes["device"] <= 10_000
