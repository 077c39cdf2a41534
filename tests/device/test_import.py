"""The package is light: the standard library alone, and nothing until it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import harmony_device


def modules_after(statement: str) -> set[str]:
    """Return what a fresh interpreter has imported after `statement`, beyond its own start."""
    program = (
        "import sys; before = set(sys.modules); "
        f"{statement}; print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_importing_the_package_imports_nothing_else() -> None:
    assert modules_after("import __future__, harmony_device") <= {"__future__", "harmony_device"}


@pytest.mark.parametrize(
    "statement",
    [
        "from harmony_device import make_report, Survey",
        "from harmony_device import Device, EpsilonLimit",
    ],
)
def test_what_is_slow_to_import_waits_until_it_is_needed(statement: str) -> None:
    slow = {"typing", "dataclasses", "fractions", "json", "re", "ssl", "http", "hashlib", "numbers"}
    assert not modules_after(statement) & slow


@pytest.mark.skipif(sys.version_info < (3, 10), reason="needs sys.stdlib_module_names")
def test_nothing_outside_the_standard_library_is_imported() -> None:
    statement = (
        "import harmony_device, harmony_device.__main__, http.client, ssl, json, hashlib; "
        "[getattr(harmony_device, name) for name in harmony_device.__all__]"
    )
    roots = {name.partition(".")[0] for name in modules_after(statement)}
    allowed = set(sys.stdlib_module_names) | {"harmony_device"}
    assert {root for root in roots if not root.startswith("_")} <= allowed


def test_every_public_name_is_there_and_no_other() -> None:
    for name in harmony_device.__all__:
        assert getattr(harmony_device, name).__name__ == name
    assert set(harmony_device.__all__) <= set(dir(harmony_device))
    with pytest.raises(AttributeError, match="nonsense"):
        _ = harmony_device.nonsense
