"""Rotation: a device answers one of every T rounds of a survey, at a place that a coin gives it.

Privacy: of any T rounds with consecutive numbers a device answers one at most, so they cost one
epsilon together, whatever its values do meanwhile.  The place is public.  The numbers are the
server's, which may lie, so the ledger has the last word: no two rounds of a survey are answered
whose numbers differ by less than T.  What lying numbers cost in real time, the limits bound.
"""

from __future__ import annotations

from .coins import Draws

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .ledger import Entry


def place_of(seed: bytes, device: bytes, every: int) -> int:
    """Return the place of a device among `every` rounds, by the survey's own public seed.

    >>> place_of(bytes(16), bytes(16), 100)
    78
    """
    return Draws(seed, device).below(every)


def turn_objection(
    survey: str, number: int | None, every: int, place: int, entries: Iterable[Entry]
) -> str | None:
    """Return why a device at this place does not answer round `number`, or None if it does.

    >>> turn_objection("phones", 7, 4, 3, [])
    >>> turn_objection("phones", 8, 4, 3, [])
    "not this device's turn: it answers round 11, and every 4th"
    """
    if number is None:
        return "the round has no number, which a survey with rotation needs"
    if number % every != place:
        following = number + (place - number) % every
        return f"not this device's turn: it answers round {following}, and every {every}th"
    for entry in entries:
        near = entry.number is not None and abs(entry.number - number) < every
        if near and entry.survey == survey:
            return f"round {entry.number} was answered, less than {every} rounds from this one"
    return None
