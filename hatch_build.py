"""Builds the JavaScript device SDK into the wheel: servers offer it at /sdk/device.js."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUNDLE = Path("src", "harmony", "service", "static", "device.js")
SOURCES = Path("device", "javascript")

WITHOUT = (
    "THIS BUILD HAS NO JAVASCRIPT SDK: servers that it runs answer 404 at /sdk/device.js. "
    "Install Node 18 or newer with npm, and build again."
)


class SdkHook(BuildHookInterface):  # type: ignore[type-arg]
    """Runs `make sdk` for whoever builds a wheel; an editable install does without."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the bundle, unless there are only built files here, as in a source archive."""
        root = Path(self.root)
        if version == "editable":
            return
        if (root / SOURCES).is_dir() and shutil.which("npm"):
            for words in (["install"], ["run", "bundle"]):
                subprocess.run(["npm", "--silent", *words], cwd=root / SOURCES, check=True)
            (root / BUNDLE).parent.mkdir(exist_ok=True)
            shutil.copy(root / SOURCES / "dist" / "device.min.js", root / BUNDLE)
        if not (root / BUNDLE).exists():
            self.app.display_warning(WITHOUT)
