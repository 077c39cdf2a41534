"""The JavaScript SDK as it is written: ES modules, which browsers load without any build.

A server offers them beside the bundle: in a checkout without Node there is no bundle, and pages
that look into the SDK, such as "be a device", take single modules.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import harmony
from harmony.service.problems import Problem

CHECKOUT = Path(harmony.__file__).parents[2] / "device" / "javascript" / "src"
"""Where the sources are if this is no installed package."""

NOT_FOR_BROWSERS = ("node.js", "stores/directory.js", "stores/directory_lock.js")


@dataclass(frozen=True)
class Module:
    """One file as it is served."""

    content: bytes
    compressed: bytes


@dataclass(frozen=True)
class Modules:
    """All files of the SDK by their path; their version names these bytes and no others."""

    version: str
    files: Mapping[str, Module]

    def address(self, path: str) -> str:
        """Return where a file is served."""
        return f"/sdk/{self.version}/modules/{path}"


@cache
def modules() -> Modules:
    """Read the modules, once."""
    packaged = files("harmony.service").joinpath("static", "modules")
    folder: Traversable = CHECKOUT if CHECKOUT.is_dir() else packaged
    found = dict(sorted(_scripts(folder))) if folder.is_dir() else {}
    if "index.js" not in found:
        raise Problem("not-found", "this server was built without the JavaScript SDK")
    digest = hashlib.sha256(b"".join(found.values())).hexdigest()[:12]
    served = {
        path: Module(content, gzip.compress(content, 9, mtime=0)) for path, content in found.items()
    }
    return Modules(f"{harmony.__version__}-{digest}", served)


def _scripts(folder: Traversable, under: str = "") -> list[tuple[str, bytes]]:
    scripts: list[tuple[str, bytes]] = []
    for one in folder.iterdir():
        path = f"{under}{one.name}"
        if one.is_dir():
            scripts += _scripts(one, f"{path}/")
        elif path.endswith(".js") and path not in NOT_FOR_BROWSERS:
            scripts.append((path, one.read_bytes()))
    return scripts
