"""Shared views: links that show a survey's results, or one chart, to whoever has them.

A link is written as a token is, and stored as its hash alone.  It reads one survey, changes
nothing, and ends when it expires, is revoked, or its survey is deleted.  Each request asks the
database, so that a link that was revoked works nowhere any more.
"""

from __future__ import annotations

import builtins
import hmac
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import delete, func, select

from .activity import SHARE_REVOKED, VIEW_SHARED, Actor, note
from .catalogue import Catalogue
from .database import Database
from .entries import SurveyEntry
from .problems import Problem
from .schema import shares
from .tokens import ADMIN, Token, digest_of, new_secret, parts_of, written

DAY: Final = 86400.0
DEFAULT_DAYS: Final = 30
MOST_DAYS: Final = 366
MOST_SHARES: Final = 200
"""Links of one survey that work at a time."""

_ID: Final = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Share:
    """A link: what it shows, whom it is for, and who made it.

    With `attribute` it is that attribute's chart alone, else all results of the survey.
    """

    id: str
    survey: int
    attribute: str | None
    name: str
    token: str
    who: str
    created: float
    expires: float


class Shares:
    """The links to what surveys found."""

    def __init__(
        self, database: Database, catalogue: Catalogue, clock: Callable[[], float]
    ) -> None:
        self._database = database
        self._catalogue = catalogue
        self._clock = clock

    def list(self, entry: SurveyEntry) -> builtins.list[Share]:
        """Return the links of a survey that work, newest first."""
        alive = (shares.c.survey == entry.id) & (shares.c.expires > self._clock())
        wanted = select(shares).where(alive).order_by(shares.c.created.desc(), shares.c.id)
        with self._database.read() as connection:
            return [_share(row) for row in connection.execute(wanted)]

    def create(
        self, entry: SurveyEntry, attribute: str | None, name: str, days: float, by: Actor
    ) -> tuple[str, Share]:
        """Make a link; return its code, which cannot be had again, and what it is."""
        if attribute is not None and attribute not in {one.name for one in entry.survey.questions}:
            raise Problem("malformed", f"'attribute': the survey asks for no {attribute!r}")
        identity, secret = new_secret()
        now = self._clock()
        made = Share(identity, entry.id, attribute, name, by.id, by.name, now, now + days * DAY)
        with self._database.write() as connection:
            connection.execute(delete(shares).where(shares.c.expires <= now))
            of_survey = select(func.count()).where(shares.c.survey == entry.id)
            if connection.execute(of_survey).scalar_one() >= MOST_SHARES:
                raise Problem("conflict", f"{MOST_SHARES} links show this survey; revoke some")
            row = {field: getattr(made, field) for field in Share.__slots__}
            connection.execute(shares.insert().values(row | {"digest": digest_of(secret)}))
            detail = {"link": identity, "for": name, "chart": attribute, "days": days}
            note(connection, by, now, VIEW_SHARED, entry.survey.name, **detail)
        return written(identity, secret), made

    def revoke(self, entry: SurveyEntry, identity: str, by: Token) -> None:
        """End a link at once: an admin any, others those that their own token made."""
        found = self.find(entry, identity)
        if by.role != ADMIN and found.token != by.id:
            raise Problem("forbidden", f"{found.who} made this link; an admin may revoke it")
        with self._database.write() as connection:
            gone = delete(shares).where(shares.c.id == identity)
            if connection.execute(gone).rowcount:
                detail = {"link": identity, "for": found.name}
                name = entry.survey.name
                note(connection, by, self._clock(), SHARE_REVOKED, name, **detail)

    def find(self, entry: SurveyEntry, identity: str) -> Share:
        """Return a link of a survey that works, or raise the problem that there is none."""
        for one in self.list(entry):
            if one.id == identity:
                return one
        raise Problem("not-found", "the survey has no link of this id")

    def opened(self, code: str) -> tuple[Share, SurveyEntry]:
        """Return what a code shows, or raise the problem that it shows nothing (any more)."""
        identity, secret = parts_of(code)
        found = self._stored(identity) if _ID.fullmatch(identity) else None
        if found is not None and hmac.compare_digest(bytes(found.digest), digest_of(secret)):
            for entry in self._catalogue.surveys.values():
                if entry.id == found.survey and found.expires > self._clock():
                    return _share(found), entry
        raise Problem("not-found", "this link shows nothing: it has expired, or was revoked")

    def _stored(self, identity: str) -> Any:
        with self._database.read() as connection:
            return connection.execute(select(shares).where(shares.c.id == identity)).first()


def _share(row: Any) -> Share:
    return Share(**{field: getattr(row, field) for field in Share.__slots__})
