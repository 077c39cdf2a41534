"""What comes of a visit to the server."""

from __future__ import annotations


class Visit:
    """What one visit to the server did.

    `answered` and `accepted` list (survey, round) pairs, `dropped` and `skipped` say why for
    each; a training's name stands for a survey's.  `waiting` counts reports that are still to
    be acknowledged, `trouble` tells what kept the visit from ending well and `next_attempt` in
    how many seconds another may.

    `warnings` are for the app's developer: values that have no answer of their own, names that
    nobody asks for.  They follow from the values, so they must not leave the device.

    >>> visit = Visit()
    >>> visit.skipped["phones"] = "asks for 'nfc' (boolean), which is not in this app's record"
    >>> visit
    <Visit: answered 0, accepted 0, waiting 0, skipped phones: asks for 'nfc' ...>
    """

    __slots__ = (
        "accepted", "answered", "dropped", "next_attempt", "skipped", "trouble", "waiting",
        "warnings",
    )  # fmt: skip

    def __init__(self) -> None:
        self.answered: list[tuple[str, str]] = []
        self.accepted: list[tuple[str, str]] = []
        self.dropped: dict[tuple[str, str], str] = {}
        self.skipped: dict[str, str] = {}
        self.warnings: list[str] = []
        self.waiting = 0
        self.trouble: str | None = None
        self.next_attempt: float | None = None

    def warn(self, warnings: list[str]) -> None:
        """Add warnings, each once."""
        self.warnings = list(dict.fromkeys([*self.warnings, *warnings]))

    def __repr__(self) -> str:
        said = [f"answered {len(self.answered)}", f"accepted {len(self.accepted)}"]
        said.append(f"waiting {self.waiting}")
        said += [f"skipped {name}: {why}" for name, why in self.skipped.items()]
        said += [f"dropped {name} {label}: {why}" for (name, label), why in self.dropped.items()]
        if self.trouble is not None:
            said.append(f"trouble: {self.trouble}")
        if self.warnings:
            said.append(f"{len(self.warnings)} in .warnings")
        return f"<Visit: {', '.join(said)}>"
