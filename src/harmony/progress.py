"""A progress bar for long runs, shown only where a person would see it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LONG_RUN = 20_000_000


@contextmanager
def progress_bar(
    doing: str, devices: int, wanted: bool | None = None
) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with the number of devices just done.

    Unless `wanted` says otherwise, the bar shows on a terminal, for runs long enough to wait.
    """
    if wanted is None:
        wanted = devices >= LONG_RUN and sys.stderr.isatty()
    if not wanted:
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=devices)
        yield lambda done: bar.advance(task, done)
