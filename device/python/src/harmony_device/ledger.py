"""The ledger: what was asked of this device, when, and how much epsilon it spent.

One JSON object a line, in a file that the device's owner can read and nothing rewrites.

Privacy: `charge` is durable before a report is randomised, so a crash can lose a report that
was paid for but never make one that was not.  A round is charged once, whatever happens to
its report.  The ledger holds no value and no symbol.
"""

from __future__ import annotations

import os
from time import gmtime, strftime

from .durable import append_line, read_file
from .errors import LedgerError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FILE = "ledger.jsonl"


class Entry:
    """One answered round: `epsilon` was spent on the attributes in `asked`, at time `at`.

    `state` is what became of the report: 'waiting', 'accepted', or 'dropped: ' and why.
    """

    __slots__ = ("asked", "at", "epsilon", "round", "state", "survey")

    def __init__(
        self, at: float, survey: str, round: str, epsilon: float, asked: Sequence[str]
    ) -> None:
        self.at = at
        self.survey = survey
        self.round = round
        self.epsilon = epsilon
        self.asked = list(asked)
        self.state = "waiting"

    def __repr__(self) -> str:
        return (
            f"<Entry {timestamp(self.at)} {self.survey} {self.round}: epsilon {self.epsilon:g} "
            f"on {', '.join(self.asked)}, {self.state}>"
        )


class Ledger:
    """The ledger file of a device's directory.

    >>> import tempfile
    >>> ledger = Ledger(tempfile.mkdtemp())
    >>> ledger.charge(1.7e9, "phones", "2026-W46", 1.0, ["battery"])
    >>> ledger.note(1.7e9, "phones", "2026-W46", "accepted")
    >>> ledger.entries()
    [<Entry 2023-11-14T22:13:20Z phones 2026-W46: epsilon 1 on battery, accepted>]
    """

    def __init__(self, directory: str) -> None:
        self.path = os.path.join(directory, FILE)

    def charge(
        self, at: float, survey: str, round: str, epsilon: float, asked: Sequence[str]
    ) -> None:
        """Write down, durably, that `epsilon` is spent."""
        spent = {"event": "answered", "survey": survey, "round": round}
        self._append(at, spent, {"epsilon": epsilon, "asked": list(asked)})

    def note(self, at: float, survey: str, round: str, state: str) -> None:
        """Write down what became of a report."""
        self._append(at, {"event": state, "survey": survey, "round": round})

    def note_forgotten(self, at: float) -> None:
        """Write down that consent was withdrawn.  What was spent stays spent."""
        self._append(at, {"event": "forgotten"})

    def entries(self) -> list[Entry]:
        """Return every answered round, oldest first, or raise LedgerError.

        A last line without its end is a crash before anything was randomised: it does not
        count.  Any other line that cannot be read means that spending is unknown.
        """
        found: dict[tuple[str, str], Entry] = {}
        lines = (read_file(self.path) or b"").split(b"\n")[:-1]
        for number, line in enumerate(lines, 1):
            if not _take(line, found):
                raise LedgerError(
                    f"{self.path}, line {number}: damaged, so what was spent is unknown and "
                    "nothing more is answered; restore the file, or move it away to start anew"
                )
        return list(found.values())

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
    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(at))


def read_timestamp(text: str) -> float:
    """Return the time that `timestamp` wrote."""
    from datetime import datetime

    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def _take(line: bytes, found: dict[tuple[str, str], Entry]) -> bool:
    """Add one line to the entries found so far, and return whether it could be read."""
    import json

    try:
        read = json.loads(line)
        event = read["event"]
        if event == "forgotten":
            return True
        entry = found.get((read["survey"], read["round"]))
        if event != "answered":
            if entry is not None:  # else its owner started the ledger anew while a report waited
                entry.state = str(event)
            return True
        epsilon = float(read["epsilon"])
        if entry is not None:  # two ledgers were merged: count both
            epsilon += entry.epsilon
        at = read_timestamp(read["at"])
        entry = Entry(at, str(read["survey"]), str(read["round"]), epsilon, read["asked"])
        found[entry.survey, entry.round] = entry
        return epsilon > 0
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False
