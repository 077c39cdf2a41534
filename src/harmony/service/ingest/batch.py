"""A batch: what one commit takes, and who waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .blocks import Block, LiveRound
from .outcomes import Outcomes


class Waiter(Protocol):
    """Who waits for the outcome of one report: a future, or what stands in for one."""

    def done(self) -> bool:
        """Whether nobody waits any more."""

    def set_result(self, outcome: int, /) -> None:
        """Tell what became of the report."""

    def set_exception(self, problem: Exception, /) -> None:
        """Tell why the report was not taken."""


@dataclass(slots=True)
class Batch:
    """What the next commit takes: single reports by round, then whole blocks."""

    singles: dict[LiveRound, tuple[list[bytes], list[Waiter]]] = field(default_factory=dict)
    blocks: list[tuple[Block, asyncio.Future[Outcomes]]] = field(default_factory=list)
    reports: int = 0

    def to_blocks(self) -> list[Block]:
        """Return all of it as blocks: one for each round of single reports, then the others."""
        singles = [
            Block(live, live.rows(b"".join(reports))) for live, (reports, _) in self.singles.items()
        ]
        return singles + [block for block, _ in self.blocks]

    def tell(self, outcomes: Sequence[Outcomes]) -> None:
        """Tell everyone who still waits what became of the reports, block by block."""
        singles = len(self.singles)
        for (_, waiters), became in zip(self.singles.values(), outcomes[:singles], strict=True):
            for waiter, outcome in zip(waiters, became.tolist(), strict=True):
                if not waiter.done():
                    waiter.set_result(outcome)
        for (_, future), became in zip(self.blocks, outcomes[singles:], strict=True):
            if not future.done():
                future.set_result(became)

    def fail(self, problem: Exception) -> None:
        """Tell everyone who still waits why the reports were not taken."""
        waiting: list[Waiter | asyncio.Future[Outcomes]] = [future for _, future in self.blocks]
        for _, waiters in self.singles.values():
            waiting += waiters
        for waiter in waiting:
            if not waiter.done():
                waiter.set_exception(problem)
