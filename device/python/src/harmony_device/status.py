"""The status of a device's directory, for its owner to read: no value, no credential."""

from __future__ import annotations

from math import fsum

from .backoff import Backoff
from .identity import IdentityFile, Withdrawal
from .ledger import Ledger
from .limits import DAYS_30
from .outbox import Outbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def status(directory: str, now: float) -> dict[str, Any]:
    """Return who this device is, what waits and what was spent.

    >>> status("/nonexistent/harmony", 1.7e9)["spent in 30 days"]
    0.0
    """
    identity = IdentityFile(directory).read()
    withdrawal = Withdrawal(directory)
    entries = Ledger(directory).entries()
    outbox = Outbox(directory)
    return {
        "directory": directory,
        "server": None if identity is None else identity.server,
        "device": None if identity is None else identity.device.hex(),
        "withdrawn": withdrawal.by is not None,
        "deletions to confirm": len(withdrawal.pending),
        "rounds answered": len(entries),
        "spent in 30 days": fsum(one.epsilon for one in entries if one.at > now - DAYS_30),
        "spent in all": fsum(one.epsilon for one in entries),
        "reports waiting": len(outbox.waiting()),
        "bytes waiting": outbox.bytes(),
        "seconds until the next attempt": Backoff(directory).remaining(now),
    }
