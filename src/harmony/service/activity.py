"""Activity: the record of administrative acts, who did what and when.

An entry is written in the transaction of its act, so neither is there without the other.  There is
nothing in it about a device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import msgspec
from sqlalchemy import Connection, select

from . import schema
from .database import Database

CREATED = "{kind} created"
CHANGED = "{kind} changed"
STOPPED = "{kind} stopped"
DELETED = "{kind} deleted"
"""What is done to surveys, trainings and explorations alike."""

ROUND_OPENED = "round opened"
ROUND_CLOSED = "round closed"
ROUND_DELETED = "round deleted"
REPORTS_DROPPED = "reports dropped"
REPORTS_EXPORTED = "reports exported"
TOKEN_CREATED = "token created"
TOKEN_REVOKED = "token revoked"
LINK_CREATED = "sign-in link created"
VIEW_SHARED = "view shared"
SHARE_REVOKED = "shared view revoked"
KEY_ROTATED = "key rotated"
LIST_EXTENDED = "allow-list extended"
DELETIONS_APPLIED = "deletions applied"

MOST_ENTRIES = 200
"""Entries that are read at once."""

_CUT = 200
"""How long a subject may be."""


class Actor(Protocol):
    """Who acts: the holder of a token, or somebody like that."""

    @property
    def id(self) -> str:
        """The token's id, or nothing."""

    @property
    def name(self) -> str:
        """Whose token it is."""

    @property
    def role(self) -> str:
        """What it allows."""


@dataclass(frozen=True)
class NoToken:
    """Somebody who acts without a token."""

    name: str
    role: str
    id: str = ""


SERVER = NoToken("the server", "server")
"""Who acts when a time has come."""


def at_the_command_line() -> NoToken:
    """Return who runs a command on the server's own database."""
    import getpass

    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # a container's user may have no name
        user = "somebody"
    return NoToken(f"{user}, at the command line"[:100], "operator")


@dataclass(frozen=True)
class Entry:
    """One act."""

    number: int
    at: float
    token: str | None
    who: str
    role: str
    act: str
    subject: str
    detail: dict[str, Any]


def note(
    connection: Connection, by: Actor, at: float, act: str, subject: str, **detail: Any
) -> None:
    """Record an act within its transaction."""
    connection.execute(
        schema.activity.insert().values(
            at=at,
            token=by.id or None,
            who=by.name,
            role=by.role,
            act=act,
            subject=subject[:_CUT],
            detail=msgspec.json.encode(detail).decode(),
        )
    )


class Activity:
    """Reads the record."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def entries(self, before: int | None = None, most: int = MOST_ENTRIES) -> list[Entry]:
        """Return the latest entries, newest first; `before` a number, if that is given."""
        kept = schema.activity
        wanted = select(kept).order_by(kept.c.number.desc()).limit(most)
        if before is not None:
            wanted = wanted.where(kept.c.number < before)
        with self._database.read() as connection:
            rows = connection.execute(wanted).all()
        return [
            Entry(
                row.number, row.at, row.token, row.who, row.role, row.act, row.subject,
                _detail(row.detail),
            )
            for row in rows
        ]  # fmt: skip


def _detail(stored: str) -> dict[str, Any]:
    """Read what an entry tells; one that is damaged tells nothing, and the others are shown."""
    try:
        return msgspec.json.decode(stored, type=dict[str, Any])
    except msgspec.MsgspecError:
        return {}
