"""Tokens of people and gateways: random, shown once, stored as hashes.

A token is `hmy_<id>_<secret>`.  The secret has 256 random bits, so one SHA-256 is enough.
The claim code that the first start prints is a token whose only use is to become an admin's.
Sign-in links and sessions (see `dashboard.sessions`) are tokens too, and act for another.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import delete, func, select

from .activity import LINK_CREATED, SERVER, TOKEN_CREATED, TOKEN_REVOKED, Actor, NoToken, note
from .database import Database
from .rate_limit import RateLimit
from .schema import tokens
from .strata import NO_STRATUM, number_of, read_names

ADMIN: Final = "admin"
ANALYST: Final = "analyst"
GATEWAY: Final = "gateway"
ENROL: Final = "enrol"
CLAIM: Final = "claim"
LINK: Final = "link"
SESSION: Final = "session"

ROLES: Final = (ADMIN, ANALYST, GATEWAY, ENROL)
PASSING: Final = (CLAIM, LINK, SESSION)
"""Roles of tokens that nobody makes by hand, lists or presents as a bearer."""

PREFIX: Final = "hmy_"

CLAIM_SECONDS: Final = 24 * 3600.0

REREADS_PER_SECOND: Final = 10
"""How often an unknown token may make the tokens be read again."""


@dataclass(frozen=True, slots=True)
class Token:
    """Who holds a token, and what for."""

    id: str
    name: str
    role: str
    created: float
    expires: float | None
    stratum: str | None = None
    """Of an enrolment key: what the devices that enrol with it are."""
    stratum_number: int = NO_STRATUM


class Tokens:
    """The tokens, as of the last `reload`."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock
        self._known: dict[str, tuple[bytes, Token]] = {}
        self._rereads = RateLimit(REREADS_PER_SECOND, 5 * REREADS_PER_SECOND)

    def reload(self) -> None:
        """Read the tokens."""
        with self._database.read() as connection:
            rows = connection.execute(select(tokens)).all()
            names = read_names(connection)
        self._known = {
            row.id: (
                bytes(row.digest),
                Token(
                    row.id, row.name, row.role, row.created, row.expires, names.get(row.stratum),
                    row.stratum,
                ),
            )
            for row in rows
        }  # fmt: skip

    def list(self) -> list[Token]:
        """Return every token that people and gateways hold, oldest first."""
        known = [token for _, token in self._known.values() if token.role not in PASSING]
        return sorted(known, key=lambda token: token.created)

    def find(self, identity: str) -> Token | None:
        """Return the token of this id, if it is there and has not expired."""
        _, token = self._known.get(identity, (b"", None))
        return token if token is not None and self._is_alive(token) else None

    def create(
        self,
        name: str,
        role: str,
        seconds: float | None = None,
        *,
        stratum: str | None = None,
        by: Actor = SERVER,
    ) -> tuple[str, Token]:
        """Make a token; return it with its secret, which cannot be had again.

        Devices that enrol with a key of a stratum are in it for good.
        """
        identity, secret = new_secret()
        now = self._clock()
        expires = None if seconds is None else now + seconds
        with self._database.write() as connection:
            over = tokens.c.role.in_(PASSING) & (tokens.c.expires < now)
            connection.execute(delete(tokens).where(over))
            connection.execute(
                tokens.insert().values(
                    id=identity,
                    name=name,
                    role=role,
                    digest=digest_of(secret),
                    created=now,
                    expires=expires,
                    stratum=(number := number_of(connection, stratum)),
                )
            )
            if role in ROLES:
                told = {"role": role, "token": identity}
                told |= {} if stratum is None else {"stratum": stratum}
                note(connection, by, now, TOKEN_CREATED, name, **told)
            elif role == LINK and name != by.id and (holder := self.find(name)) is not None:
                note(connection, by, now, LINK_CREATED, holder.name, token=holder.id)
        self.reload()
        made = Token(identity, name, role, now, expires, stratum, number)
        return written(identity, secret), made

    def revoke(self, identity: str, *, by: Actor = SERVER) -> bool:
        """Delete a token; return whether there was one."""
        with self._database.write() as connection:
            gone = connection.execute(
                delete(tokens)
                .where(tokens.c.id == identity)
                .returning(tokens.c.name, tokens.c.role)
            ).first()
            if gone is not None and gone.role in ROLES:
                detail = {"role": gone.role, "token": identity}
                note(connection, by, self._clock(), TOKEN_REVOKED, gone.name, **detail)
        self.reload()
        return gone is not None

    def verify(self, presented: str) -> Token | None:
        """Return the token that was presented, or None; one that is unknown is looked for."""
        identity, _ = parts_of(presented)
        if identity and identity not in self._known and not self._rereads.acquire(""):
            self.reload()  # another server may have made it just now
        return self.verify_known(presented)

    def verify_known(self, presented: str) -> Token | None:
        """Return the token that was presented if it is one that memory has: nothing waits."""
        identity, secret = parts_of(presented)
        known = self._known.get(identity)
        if known is None:
            return None
        digest, token = known
        if not hmac.compare_digest(digest, digest_of(secret)):
            return None
        return token if self._is_alive(token) else None

    def _is_alive(self, token: Token) -> bool:
        return token.expires is None or self._clock() < token.expires

    def claim_code(self) -> str | None:
        """Return a fresh claim code if nobody is admin yet."""
        with self._database.write() as connection:
            admins = connection.execute(
                select(func.count()).select_from(tokens).where(tokens.c.role == ADMIN)
            ).scalar_one()
            connection.execute(delete(tokens).where(tokens.c.role == CLAIM))
        if admins:
            return None
        return self.create("first start", CLAIM, CLAIM_SECONDS)[0]

    def claim(self, code: str) -> str | None:
        """Turn a claim code into an admin's token, once."""
        token = self.verify(code)
        if token is None or token.role != CLAIM or not self.revoke(token.id):
            return None
        return self.create("first admin", ADMIN, by=NoToken("holder of the claim code", CLAIM))[0]


def new_secret() -> tuple[str, str]:
    """Draw the id and the secret of a token."""
    return secrets.token_hex(8), secrets.token_urlsafe(32)


def written(identity: str, secret: str) -> str:
    """Return a token as its holder has it."""
    return f"{PREFIX}{identity}_{secret}"


def parts_of(presented: str) -> tuple[str, str]:
    """Return the id and the secret of what looks like a token, or two empty texts.

    >>> parts_of("hmy_00ff_secret"), parts_of("something else")
    (('00ff', 'secret'), ('', ''))
    """
    if not presented.startswith(PREFIX):
        return "", ""
    identity, _, secret = presented.removeprefix(PREFIX).partition("_")
    return identity, secret


def digest_of(secret: str) -> bytes:
    """Return what is stored of a secret."""
    return hashlib.sha256(secret.encode()).digest()
