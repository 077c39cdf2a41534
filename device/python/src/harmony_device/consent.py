"""Consent: nothing is sent without it, and withdrawing it leaves nothing behind.

Withdrawing first writes down which identity the server must delete, then removes the identity,
the waiting reports, the memos and the documents.  Each step may be repeated, so a crash between
two of them is finished on the next occasion.  The ledger stays: what was spent stays spent, and a
device that joins again must not spend it twice.
"""

from __future__ import annotations

import os

from .documents import Documents
from .identity import BY_CONSENT, BY_FORGETTING, Identity, IdentityFile, Withdrawal
from .ledger import Ledger
from .lock import DirectoryLock
from .memos import Memos
from .outbox import Outbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Consent:
    """The owner's consent, as the app tells it and as this directory remembers it.

    `given` is what the app knows: True, False, or a function that is asked before every
    request.  An owner who used `forget` stays forgotten, whatever the app says, until `rejoin`.
    """

    def __init__(self, directory: str, given: bool | Callable[[], bool]) -> None:
        if not isinstance(given, bool) and not callable(given):
            raise TypeError("'consent' must be True, False or a function that returns one")
        self._directory = directory
        self._given = given
        self._lock = DirectoryLock(directory)

    def is_given(self) -> bool:
        """Whether a request may go out now."""
        given = self._given if isinstance(self._given, bool) else self._given()
        return given is True and Withdrawal(self._directory).by is None

    def settle(self, now: float) -> bool:
        """Carry out what consent demands of the disk, and return whether it is given."""
        given = self._given if isinstance(self._given, bool) else self._given()
        if given is not True and not os.path.isdir(self._directory):
            return False
        with self._lock:
            withdrawal = Withdrawal(self._directory)
            if given is not True and withdrawal.by is None:
                withdrawal.by = BY_CONSENT
            if withdrawal.by is not None:
                self._erase(withdrawal, now)
            if given is True and withdrawal.by == BY_CONSENT:
                withdrawal.by = None
                withdrawal.write()
            return withdrawal.by is None

    def forget(self, now: float) -> None:
        """Withdraw consent for good: only `rejoin` undoes it."""
        with self._lock:
            withdrawal = Withdrawal(self._directory)
            if withdrawal.by != BY_FORGETTING:
                withdrawal.by = BY_FORGETTING
                withdrawal.write()
            self._erase(withdrawal, now)

    def rejoin(self) -> None:
        """Undo `forget`: the owner consents again, under a new identity."""
        with self._lock:
            withdrawal = Withdrawal(self._directory)
            withdrawal.by = None
            withdrawal.write()

    def pending(self) -> list[tuple[Identity, float]]:
        """Return the identities that the server has yet to delete, and since when."""
        return Withdrawal(self._directory).pending

    def confirmed(self, identity: Identity) -> None:
        """Forget the last of an identity: the server has deleted it."""
        with self._lock:
            withdrawal = Withdrawal(self._directory)
            withdrawal.pending = [
                (one, since) for one, since in withdrawal.pending if one.device != identity.device
            ]
            if not withdrawal.pending and withdrawal.by == BY_CONSENT:
                withdrawal.by = None  # what the app says is enough, now that all is deleted
            withdrawal.write()

    def _erase(self, withdrawal: Withdrawal, now: float) -> None:
        identities = IdentityFile(self._directory)
        identity = identities.read()
        pending = [one.device for one, _ in withdrawal.pending]
        if identity is not None and identity.device not in pending:
            withdrawal.pending.append((identity, now))
            withdrawal.write()
            Ledger(self._directory).note_forgotten(now)
        identities.remove()
        Outbox(self._directory).clear()
        Memos(self._directory).clear()
        Documents(self._directory).keep_only(())
