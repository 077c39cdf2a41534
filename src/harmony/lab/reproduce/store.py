"""Points measured so far, a line each: an interrupted run goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from .experiment import Measured


class Store:
    """A file of points; those measured before with the same settings are not measured again.

    >>> import tempfile
    >>> point = Measured("published", "US", "numeric", "harmony", 0.1, 10, 2, 7, 0.5, 0.1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = Store(Path(folder) / "points.jsonl").point(point.settings, lambda: point)
    ...     again = Store(Path(folder) / "points.jsonl").point(point.settings, lambda: 1 / 0)
    >>> first == again
    True
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept: dict[tuple[object, ...], Measured] = {}
        for line in path.read_text().splitlines() if path.exists() else []:
            try:
                point = Measured(**json.loads(line))
            except (ValueError, TypeError):
                continue  # cut short by the interruption
            self._kept[point.settings] = point

    def point(self, settings: tuple[object, ...], measure: Callable[[], Measured]) -> Measured:
        """Return the point of these settings, measured now if it is not known."""
        if settings not in self._kept:
            point = self._kept[settings] = measure()
            with self.path.open("a") as file:
                file.write(json.dumps(asdict(point)) + "\n")
        return self._kept[settings]
