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
    """Does what `make sdk` does; an editable install does without."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the bundle, unless it is here without its sources, as in a source archive."""
        root = Path(self.root)
        if version == "editable":
            return
        if (root / SOURCES).is_dir():
            (root / BUNDLE).unlink(missing_ok=True)
            try:
                subprocess.run([root / SOURCES / "build.sh", "bundle"], check=True)
            except (OSError, subprocess.CalledProcessError) as problem:
                self.app.display_warning(str(problem))
            else:
                (root / BUNDLE).parent.mkdir(exist_ok=True)
                shutil.copy(root / SOURCES / "dist" / "device.min.js", root / BUNDLE)
        if not (root / BUNDLE).exists():
            self.app.display_warning(WITHOUT)
