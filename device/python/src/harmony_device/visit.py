"""What comes of a visit to the server."""

from __future__ import annotations


class Visit:
    """What one visit to the server did.

    `answered` and `accepted` list (survey, round) pairs, `dropped` and `skipped` say why for
    each; a training's name stands for a survey's.  `waiting` counts reports that are still to
    be acknowledged, `trouble` tells what kept the visit from ending well and `next_attempt` in
    how many seconds another may.
    """

    __slots__ = (
        "accepted", "answered", "dropped", "next_attempt", "skipped", "trouble", "waiting",
    )  # fmt: skip

    def __init__(self) -> None:
        self.answered: list[tuple[str, str]] = []
        self.accepted: list[tuple[str, str]] = []
        self.dropped: dict[tuple[str, str], str] = {}
        self.skipped: dict[str, str] = {}
        self.waiting = 0
        self.trouble: str | None = None
        self.next_attempt: float | None = None

    def __repr__(self) -> str:
        said = f"answered {len(self.answered)}, accepted {len(self.accepted)}"
        return f"<Visit: {said}, waiting {self.waiting}, trouble {self.trouble!r}>"
