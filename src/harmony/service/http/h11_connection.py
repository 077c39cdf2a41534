"""A client's connection on uvicorn's other parser, for where the first cannot be used."""

from __future__ import annotations

from uvicorn.protocols.http.h11_impl import H11Protocol

from .guarded import GuardedConnection


class H11Connection(GuardedConnection, H11Protocol):
    """One connection; uvicorn is told how long a request's head may be."""

    def is_reading_head(self) -> bool:
        """Whether a request has begun whose head is not whole."""
        return bool(self.conn.trailing_data[0])
