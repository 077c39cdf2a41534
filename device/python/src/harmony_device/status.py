"""The status of a device's directory, for its owner to read: no value, no credential."""

from __future__ import annotations

from .backoff import Backoff
from .identity import IdentityFile, Withdrawal
from .ledger import Ledger
from .limits import BILLION, steady_spending, worst_spending
from .memos import Memos
from .outbox import Outbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from .ledger import Entry
    from .limits import Charge


def status(directory: str, now: float) -> dict[str, Any]:
    """Return who this device is, what waits and what was spent.

    >>> status("/nonexistent/harmony", 1.7e9)["spent in 30 days"]
    0.0
    """
    identity = IdentityFile(directory).read()
    withdrawal = Withdrawal(directory)
    entries = Ledger(directory).entries()
    recent = [one for one in entries if one.is_recent(now)]
    outbox = Outbox(directory)
    return {
        "directory": directory,
        "server": None if identity is None else identity.server,
        "device": None if identity is None else identity.device.hex(),
        "withdrawn": withdrawal.by is not None,
        "deletions to confirm": len(withdrawal.pending),
        "rounds answered": len(entries),
        "spent in 30 days": _spent(recent, worst_spending),
        "spent in 30 days if answers stayed": _spent(recent, steady_spending),
        "spent in all": _spent(entries, worst_spending),
        "spent in all if answers stayed": _spent(entries, steady_spending),
        "bytes of memos": Memos(directory).bytes(),
        "reports waiting": len(outbox.waiting()),
        "bytes waiting": outbox.bytes(),
        "seconds until the next attempt": Backoff(directory).remaining(now),
    }


def _spent(entries: Iterable[Entry], spending: Callable[[Iterable[Charge]], float]) -> float:
    return spending(one.charge for one in entries) / BILLION
