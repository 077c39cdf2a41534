"""Enrolment: who may become a device.  Open to all, to holders of a key, or by a list.

Ids are random and issued here, so nobody can choose the coin that one enrolment will get; who
enrols again gets another.  An entry of the list always gets the same id: asking again after a lost
response is harmless.  Whoever enrols by a key or an entry of a stratum is in it (`strata`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import delete, select, update

from .activity import LIST_EXTENDED, SERVER, Actor, note
from .credentials import Holder
from .database import Database
from .problems import Problem
from .schema import allowed, forgotten
from .sealing import marks_of, seal, unseal
from .strata import NO_STRATUM, new_id, number_of, read_key
from .tokens import ENROL, Tokens


class Enrolment:
    """Issues device ids under one of the three rules."""

    def __init__(
        self,
        rule: str,
        database: Database,
        tokens: Tokens,
        clock: Callable[[], float],
    ) -> None:
        self.rule = rule
        self._database = database
        self._tokens = tokens
        self._clock = clock
        with database.read() as connection:
            self._stratum_key = read_key(connection)

    def enrol(self, key: str | None) -> Holder:
        """Return a device that enrols now, or raise the problem that stands against it."""
        if self.rule == "open":
            token = self._tokens.verify(key) if key else None  # which only says a stratum
            return self._new_device(NO_STRATUM if token is None else token.stratum_number)
        if not key:
            raise Problem("unauthorized", "'key' is missing; this server enrols by key only")
        if self.rule == "list":
            return self._device_on_list(key)
        token = self._tokens.verify(key)
        if token is None or token.role != ENROL:
            raise Problem("unauthorized", "'key' is not an enrolment key of this server")
        return self._new_device(token.stratum_number)

    def allow(
        self, entries: Iterable[str], *, stratum: str | None = None, by: Actor = SERVER
    ) -> int:
        """Put entries on the list; return how many were new.  The others stay as they are."""
        digests = {_digest(entry) for entry in entries}
        with self._database.write() as connection:
            known = set(connection.execute(select(allowed.c.digest)).scalars())
            new = digests - known
            if new:
                number = number_of(connection, stratum)
                rows = [{"digest": digest, "stratum": number} for digest in new]
                connection.execute(allowed.insert(), rows)
                subject = "the allow-list"
                note(connection, by, self._clock(), LIST_EXTENDED, subject, added=len(new))
        return len(new)

    def is_forgotten(self, device: bytes) -> bool:
        """Whether this device was deleted: its reports are gone, and no other can be added."""
        known = select(forgotten.c.number).where(forgotten.c.mark == marks_of(device))
        with self._database.read() as connection:
            return connection.execute(known).first() is not None

    def forget(self, device: bytes) -> None:
        """Take the entry of a forgotten device off the list."""
        with self._database.write() as connection:
            connection.execute(delete(allowed).where(allowed.c.mark == marks_of(device)))

    def _new_device(self, stratum: int) -> Holder:
        return Holder(new_id(stratum, self._stratum_key), int(self._clock()))

    def _device_on_list(self, entry: str) -> Holder:
        mine = allowed.c.digest == _digest(entry)
        with self._database.read() as connection:  # anyone may guess: only a hit takes the lock
            row = connection.execute(select(allowed).where(mine)).one_or_none()
        if row is None:
            raise Problem("unauthorized", "'key' is not on this server's list")
        if row.device is not None and row.sealed:
            return Holder(unseal(bytes(row.device), _entry_key(entry)), row.enrolled or 0)
        with self._database.write() as connection:
            if row.device is None:
                new = self._new_device(row.stratum)
                connection.execute(
                    update(allowed)
                    .where(mine & allowed.c.device.is_(None))
                    .values(_sealed(new.device, entry) | {"enrolled": new.enrolled})
                )  # or another server was first
                row = connection.execute(select(allowed).where(mine)).one()
            device = bytes(row.device)
            if row.sealed:
                device = unseal(device, _entry_key(entry))
            else:  # of a server that did not seal
                connection.execute(update(allowed).where(mine).values(_sealed(device, entry)))
            return Holder(device, row.enrolled or 0)


def _sealed(device: bytes, entry: str) -> dict[str, Any]:
    """Return what the list keeps of an entry's device: only the entry itself can tell its id."""
    sealed = seal(device, _entry_key(entry))
    return {"device": sealed, "mark": marks_of(device), "sealed": True}


def _entry_key(entry: str) -> bytes:
    return hashlib.sha256(b"harmony allow-list id " + entry.encode()).digest()


def _digest(entry: str) -> bytes:
    return hashlib.sha256(b"harmony allow-list " + entry.encode()).digest()
