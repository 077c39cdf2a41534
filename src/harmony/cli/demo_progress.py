"""`harmony demo` on a terminal: the reports and the training's steps as they come in."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from ..demo import ReportCounts

WINDOW_SECONDS = 3.0
LINE_SECONDS = 3.0


@contextmanager
def watching(
    devices: int,
) -> Iterator[tuple[Callable[[ReportCounts], None], Callable[[dict[str, Any]], None]]]:
    """Show reports and the training's steps as they come in: a bar, or now and then a line."""
    if not sys.stderr.isatty():
        lines = Lines()
        yield (
            lambda counts: lines.tell(f"reports: {counts.reported:,} of {devices:,}"),
            lambda progress: lines.tell(
                f"training: {progress['devices']:,} of {devices:,} phones, {_where(progress)}"
            ),
        )
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("[bold]{task.description:<9}[/]"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f}"),
        TextColumn("{task.fields[said]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )
    reports = bar.add_task("reports", total=devices, said="")
    training = bar.add_task("training", total=devices, said="", start=False, visible=False)
    rate = Rate()

    def show_reports(counts: ReportCounts) -> None:
        said = (
            f"[cyan]{rate.of(counts.reported):,.0f}/s[/]  "
            f"[green]{counts.outcomes['accepted']:,} accepted[/]  "
            f"[red]{counts.refused:,} refused[/]"
        )
        bar.update(reports, completed=counts.reported, said=said)

    def show_training(progress: dict[str, Any]) -> None:
        if not bar.tasks[training].visible:
            bar.stop_task(reports)
            bar.start_task(training)
        said = f"[cyan]{_where(progress)}[/]"
        bar.update(training, completed=progress["devices"], said=said, visible=True)

    with bar:
        yield show_reports, show_training


def _where(progress: dict[str, Any]) -> str:
    """Say where a training is, and its loss if that is known."""
    losses = [row["loss"] for row in progress["history"] if row.get("loss") is not None]
    loss = f", loss {losses[-1]:.4f}" if losses else ""
    step = f"step {progress['step']}" if progress["step"] else progress["state"]
    return f"{step}{loss}"


class Lines:
    """Lines on standard error, some seconds apart.

    >>> moments = iter([0.0, 1.0, 6.0, 6.0])
    >>> said: list[str] = []
    >>> lines = Lines(clock=lambda: next(moments), say=said.append)
    >>> lines.tell("soon"), lines.tell("later"), said
    (None, None, ['later'])
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        say: Callable[[str], None] = lambda text: typer.echo(text, err=True),
    ) -> None:
        self._clock = clock
        self._say = say
        self._last = clock()

    def tell(self, text: str) -> None:
        """Say how far things are, unless something was said a moment ago."""
        if self._clock() - self._last >= LINE_SECONDS:
            self._say(text)
            self._last = self._clock()


class Rate:
    """The rate of a growing count over the last seconds.

    >>> moments = iter([0.0, 1.0, 2.0])
    >>> rate = Rate(clock=lambda: next(moments))
    >>> rate.of(0), rate.of(100), rate.of(400)
    (0.0, 100.0, 200.0)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque()

    def of(self, count: int) -> float:
        """Note the count, and return how fast it grows."""
        now = self._clock()
        self._seen.append((now, count))
        while self._seen[0][0] < now - WINDOW_SECONDS and len(self._seen) > 2:
            self._seen.popleft()
        started, before = self._seen[0]
        return (count - before) / (now - started) if now > started else 0.0
