"""Signing in: a one-time link becomes a session, which a cookie carries.

Links and sessions are tokens that act for the token of a person: their name is its id.  Revoking
that token ends every session of it.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from harmony.service.tokens import ADMIN, ANALYST, LINK, SESSION, Token, Tokens

LINK_SECONDS = 15 * 60.0
SESSION_SECONDS = 12 * 3600.0
COOKIE = "harmony_session"


@dataclass(frozen=True)
class Visitor:
    """Who looks at the dashboard, and what their forms must carry."""

    holder: Token
    session: Token
    csrf: str

    @property
    def is_admin(self) -> bool:
        """Whether this person may change anything."""
        return self.holder.role == ADMIN


class Sessions:
    """Links and sessions, on the service's tokens."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def link_code(self, holder: Token, by: Token) -> str:
        """Return a code that signs this person in, once, within a quarter of an hour."""
        return self._tokens.create(holder.id, LINK, LINK_SECONDS, by=by)[0]

    def link(self, holder: Token, url: str, by: Token) -> str:
        """Return the address of a sign-in page that works once; `url` is the server's."""
        return f"{url.rstrip('/')}/sign-in?code={self.link_code(holder, by)}"

    def holder_of_link(self, code: str) -> Token | None:
        """Return whom a link would sign in, without using it up."""
        link = self._tokens.verify(code)
        return self._holder(link) if link is not None and link.role == LINK else None

    def sign_in(self, presented: str) -> str | None:
        """Turn a link's code, or a person's own token, into a cookie's value."""
        token = self._tokens.verify(presented)
        if token is None:
            return None
        if token.role == LINK:
            holder = self._holder(token)
            if not self._tokens.revoke(token.id):  # someone else was faster
                return None
        else:
            holder = token if token.role in (ADMIN, ANALYST) else None
        if holder is None:
            return None
        return self._tokens.create(holder.id, SESSION, SESSION_SECONDS)[0]

    def visitor(self, cookie: str) -> Visitor | None:
        """Return who holds this cookie."""
        session = self._tokens.verify(cookie) if cookie else None
        if session is None or session.role != SESSION:
            return None
        holder = self._holder(session)
        return None if holder is None else Visitor(holder, session, csrf_of(cookie))

    def sign_out(self, visitor: Visitor) -> None:
        """End a session, wherever its cookie is."""
        self._tokens.revoke(visitor.session.id)

    def _holder(self, acting: Token) -> Token | None:
        holder = self._tokens.find(acting.name)
        return holder if holder is not None and holder.role in (ADMIN, ANALYST) else None


def csrf_of(cookie: str) -> str:
    """Return what a form must carry: only a page of ours can know it."""
    return hashlib.sha256(b"harmony form " + cookie.encode()).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two secrets are equal, without telling by the time it takes where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())
