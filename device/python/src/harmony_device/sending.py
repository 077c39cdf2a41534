"""Sending: what waits in the outbox goes out oldest first, until the server has taken it."""

from __future__ import annotations

from .ledger import ACCEPTED, DROPPED
from .outbox import Waiting, name_of
from .server import NEVER, TAKEN, trouble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .identity import Identity
    from .ledger import Ledger
    from .lock import DirectoryLock
    from .outbox import Outbox
    from .server import Server
    from .visit import Visit

TOO_OLD = 90 * 86400.0
"""A report, or a deletion request, that the server has not taken for so long is given up."""


class Sending:
    """Sends the reports of one directory, and writes down what became of each."""

    __slots__ = ("_clock", "_ledger", "_lock", "_outbox")

    def __init__(
        self, lock: DirectoryLock, ledger: Ledger, outbox: Outbox, clock: Callable[[], float]
    ) -> None:
        self._lock = lock
        self._ledger = ledger
        self._outbox = outbox
        self._clock = clock

    def all(
        self, enrolled: Callable[[], Identity], server: Callable[[], Server], visit: Visit
    ) -> None:
        """Send every report that waits; `server` is asked for before each, as consent is."""
        self._drop_damaged(visit)
        waiting = self._outbox.waiting()
        if not waiting:
            return
        identity = enrolled()
        for one in waiting:
            if not one.report.startswith(identity.device):
                self._settle(one, f"{DROPPED}its identity is lost", visit)
            elif self._clock() - one.at > TOO_OLD:
                self._settle(one, f"{DROPPED}too old", visit)
            else:
                self._one(server(), identity, one, visit)

    def _one(self, server: Server, identity: Identity, one: Waiting, visit: Visit) -> None:
        reply = server.report(identity, one.survey, one.round, one.report)
        if reply.status in TAKEN:
            self._settle(one, ACCEPTED, visit)
        elif reply.status in NEVER:
            self._settle(one, f"{DROPPED}{NEVER[reply.status]}", visit)
        elif reply.status == 404:
            visit.trouble = f"survey '{one.survey}': the server does not know it"
        else:
            raise trouble(reply, f"the report to '{one.survey}'")

    def _settle(self, one: Waiting, state: str, visit: Visit) -> None:
        """Write down what became of a report, then remove it."""
        with self._lock:
            self._ledger.note(self._clock(), one.survey, one.round, state)
            self._outbox.remove(one.file)
        if state == ACCEPTED:
            visit.accepted.append((one.survey, one.round))
        else:
            visit.dropped[one.survey, one.round] = state

    def _drop_damaged(self, visit: Visit) -> None:
        for file in self._outbox.damaged():
            for entry in self._ledger.entries():
                if name_of(entry.survey, entry.round) == file:
                    lost = Waiting(entry.survey, entry.round, b"", entry.at, file)
                    self._settle(lost, f"{DROPPED}damaged on disk", visit)
            with self._lock:
                self._outbox.remove(file)
