"""Puts the JavaScript device SDK into the wheel: servers offer it at /sdk/device.js."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUNDLE = Path("src", "harmony", "service", "static", "device.js")
MODULES = BUNDLE.with_name("modules")
SOURCES = Path("device", "javascript")

WITHOUT = (
    "THIS BUILD HAS NO BUNDLE OF THE JAVASCRIPT SDK: servers that it runs offer its modules one by "
    "one, which is slower. Install Node 18 or newer with npm, and build again."
)


class SdkHook(BuildHookInterface):  # type: ignore[type-arg]
    """Does what `make sdk` does; an editable install does without."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Copy the modules and build the bundle, unless they are here without their sources."""
        root = Path(self.root)
        if version == "editable":
            return
        if (root / SOURCES).is_dir():
            shutil.rmtree(root / BUNDLE.parent, ignore_errors=True)
            shutil.copytree(root / SOURCES / "src", root / MODULES)
            try:
                subprocess.run([root / SOURCES / "build.sh", "bundle"], check=True)
            except (OSError, subprocess.CalledProcessError) as problem:
                self.app.display_warning(str(problem))
            else:
                shutil.copy(root / SOURCES / "dist" / "full.min.js", root / BUNDLE)
        if not (root / BUNDLE).exists():
            self.app.display_warning(WITHOUT)
