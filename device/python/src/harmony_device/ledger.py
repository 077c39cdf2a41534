"""The ledger: what was asked of this device, when, and how much epsilon it spent.

One JSON object a line, in a file that the device's owner can read and nothing rewrites.

Privacy: `charge` is durable before a report is randomised, so a crash can lose a report that
was paid for but never make one that was not.  A round is charged once, whatever happens to
its report.  The ledger holds no value and no symbol.
"""

from __future__ import annotations

import os
from time import gmtime

from .durable import append_line, read_file
from .errors import LedgerError
from .limits import Charge, line_text
from .protocol import MAX_SAFE_INTEGER
from .strict_json import refuse_constant, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

FILE = "ledger.jsonl"

ANSWERED, FORGOTTEN, CLOCK = "answered", "forgotten", "clock"
ACCEPTED, DROPPED = "accepted", "dropped: "
"""What a line is about; why a report was dropped follows."""


DAYS_30 = 30 * 86400.0


class Entry:
    """One answered round: `charge` was spent on the attributes in `asked`, at time `at`.

    `state` is what became of the report: 'waiting', 'accepted', or 'dropped: ' and why.
    `number` is that of the round, if the server gave it one.
    `dates` are the times at which it may have been, as far as the device's clock can be trusted.
    """

    __slots__ = ("asked", "at", "charge", "dates", "number", "round", "state", "survey")

    def __init__(
        self,
        at: float,
        survey: str,
        round: str,
        charge: Charge,
        asked: Sequence[str],
        number: int | None = None,
    ) -> None:
        self.at = at
        self.dates = [at]
        self.survey = survey
        self.round = round
        self.charge = charge
        self.number = number
        self.asked = list(asked)
        self.state = "waiting"

    @property
    def epsilon(self) -> float:
        """What the report spent for itself."""
        return self.charge.epsilon

    def is_recent(self, now: float) -> bool:
        """Whether the entry may lie within 30 days of `now`: before, or by a wrong clock, after."""
        return any(abs(now - date) < DAYS_30 for date in self.dates)

    def __repr__(self) -> str:
        return (
            f"<Entry {timestamp(self.at)} {self.survey} {self.round}: {self.charge} "
            f"on {', '.join(self.asked)}, {self.state}>"
        )


class Ledger:
    """The ledger file of a device's directory.

    >>> import tempfile
    >>> ledger = Ledger(tempfile.mkdtemp())
    >>> ledger.charge(1.7e9, "phones", "2026-W46", Charge(1.0), ["battery"])
    >>> ledger.note(1.7e9, "phones", "2026-W46", "accepted")
    >>> ledger.entries()
    [<Entry 2023-11-14T22:13:20Z phones 2026-W46: epsilon 1 on battery, accepted>]
    """

    def __init__(self, directory: str) -> None:
        self.path = os.path.join(directory, FILE)

    def charge(
        self,
        at: float,
        survey: str,
        round: str,
        charge: Charge,
        asked: Sequence[str],
        number: int | None = None,
    ) -> None:
        """Write down, durably, what is spent."""
        spent: dict[str, object] = {"event": ANSWERED, "survey": survey, "round": round}
        spent |= {"epsilon": charge.epsilon, "asked": list(asked)}
        if number is not None:
            spent["number"] = number
        if charge.memo is not None:
            spent |= {"memory": charge.memory, "change": charge.change, "memo": charge.memo}
        self._append(at, spent)

    def note(self, at: float, survey: str, round: str, state: str) -> None:
        """Write down what became of a report."""
        self._append(at, {"event": state, "survey": survey, "round": round})

    def note_clock(self, now: float) -> None:
        """Write down the time if entries are dated far in the future: their clock ran ahead.

        From now on they count as if they were made now.
        """
        if any(min(entry.dates) >= now + DAYS_30 for entry in self.entries()):
            self._append(now, {"event": CLOCK})

    def note_forgotten(self, at: float) -> None:
        """Write down that consent was withdrawn.  What was spent stays spent."""
        self._append(at, {"event": FORGOTTEN})

    def entries(self) -> list[Entry]:
        """Return every answered round, oldest first, or raise LedgerError.

        The same round twice is of two ledgers that were merged: both were spent.

        A last line without its end is a crash before anything was randomised: it does not
        count.  Any other line that cannot be read means that spending is unknown.
        """
        reading = _Reading()
        lines = (read_file(self.path) or b"").split(b"\n")[:-1]
        for number, line in enumerate(lines, 1):
            if not reading.take(line):
                raise LedgerError(
                    f"{self.path}, line {number}: damaged, so what was spent is unknown and "
                    "nothing more is answered; restore the file, or move it away to start anew"
                )
        return reading.found

    def _append(self, at: float, *parts: Mapping[str, object]) -> None:
        import json

        line: dict[str, object] = {"at": timestamp(at)}
        for part in parts:
            line.update(part)
        append_line(self.path, json.dumps(line).encode())


def timestamp(at: float) -> str:
    """Write a time as people and programs read it.

    >>> timestamp(0)
    '1970-01-01T00:00:00Z'
    """
    year, month, day, hour, minute, second = gmtime(at)[:6]
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"


def read_timestamp(text: str) -> float:
    """Return the time that `timestamp` wrote; raise ValueError if it did not.

    >>> read_timestamp("2026-11-16")
    Traceback (most recent call last):
    ...
    ValueError: a time must be written YYYY-MM-DDTHH:MM:SSZ
    """
    from datetime import datetime

    at = datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    if timestamp(at) != text:  # Pythons differ in what else they read
        raise ValueError("a time must be written YYYY-MM-DDTHH:MM:SSZ")
    return at


class _Reading:
    """What has been read of a ledger so far, line after line."""

    def __init__(self) -> None:
        self.found: list[Entry] = []
        self._of: dict[tuple[str, str], list[Entry]] = {}
        self._latest = float("-inf")

    def take(self, line: bytes) -> bool:
        """Read one more line, and return whether that was possible."""
        import json

        try:
            read = json.loads(line.decode("utf-8"), parse_constant=refuse_constant)
            event, at = line_text(read["event"]), read_timestamp(read["at"])
            if event == CLOCK:
                self._clock_was(at)
            elif event == ANSWERED:
                self._answered(read, at)
            elif event == ACCEPTED or event.startswith(DROPPED):
                # There is none if its owner started the ledger anew.
                for entry in self._of.get(
                    (line_text(read["survey"]), line_text(read["round"])), ()
                ):
                    entry.state = event
            elif event != FORGOTTEN:  # of a later version, which may have spent something
                return False
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError):
            return False
        self._latest = max(self._latest, at)
        return True

    def _answered(self, read: dict[str, Any], at: float) -> None:
        survey, round = line_text(read["survey"]), line_text(read["round"])
        number = whole(read.get("number"))
        if number is not None and not (type(number) is int and 0 <= number <= MAX_SAFE_INTEGER):
            raise ValueError
        if not isinstance(read["asked"], list):
            raise ValueError
        asked = [str(name) for name in read["asked"]]
        entry = Entry(at, survey, round, Charge.from_line(read), asked, number)
        if self._latest >= at + DAYS_30:  # the clock was set back, or had run ahead before
            entry.dates.append(self._latest)
        self.found.append(entry)
        self._of.setdefault((survey, round), []).append(entry)

    def _clock_was(self, at: float) -> None:
        for entry in self.found:
            if min(entry.dates) >= at + DAYS_30:
                entry.dates.append(at)


def has_taken_part(training: str, entries: Iterable[Entry]) -> bool:
    """Whether a ledger's entries hold a step of this training."""
    return any(entry.survey == training for entry in entries)
