"""Strata: groups of devices that the server knows without asking, such as a country's build.

A device is in the stratum of the key that it enrols with, and its id says which one, to this
server alone: it is the AES-256 encryption, under a key of the database, of the stratum's number, a
check of four zero bytes, and ten random bytes.  To everybody else such an id is as random as any,
so devices, coins and reports know nothing of strata, and no list says which device is in which.
The id of a device without a stratum is plainly random; one in 2^32 of those passes the check.

A tally has shards of its own for each stratum (`schema`): it stays when reports are dropped.
"""

from __future__ import annotations

import os

import numpy as np
from sqlalchemy import Connection, select, text

from harmony.arrays import Counts
from harmony_device.coins import ID_BYTES

from . import schema
from .database import DatabaseError
from .problems import OverloadedError, Problem
from .sealing import KEY_BYTES, seal, unseal

NO_STRATUM = 0

MOST_STRATA = 250
"""Each may have cells of its own in every tally."""

ATTEMPTS = 10
"""How often a new stratum's number may be taken by another server first."""

_ADD = text(
    "INSERT INTO strata (number, name) SELECT coalesce(max(number), 0) + 1, :name FROM strata "
    "WHERE true ON CONFLICT DO NOTHING"
)

RANDOM_FROM = 6
FIRST_BYTES = (1 << 8 * RANDOM_FROM) - 1
MOST_NUMBER = (1 << 16) - 1
"""Of the first bytes, those above this are the check."""


def new_id(stratum: int, key: bytes) -> bytes:
    """Draw the id of a device of a stratum, or of none.

    >>> key = bytes(32)
    >>> strata_of(new_id(7, key) + new_id(NO_STRATUM, key) + new_id(250, key), key).tolist()
    [7, 0, 250]
    """
    drawn = os.urandom(ID_BYTES)
    if stratum == NO_STRATUM:
        return drawn
    number = stratum.to_bytes(RANDOM_FROM, "little")
    return seal(number + drawn[RANDOM_FROM:], key)


def strata_of(ids: bytes, key: bytes) -> Counts:
    """Return the strata of devices whose ids lie end to end."""
    return strata_in(unseal(ids, key))


def strata_in(unsealed: bytes) -> Counts:
    """Return the strata that ids say once the key has opened them."""
    firsts = np.frombuffer(unsealed, "<i8")[::2] & FIRST_BYTES
    return np.where(firsts <= MOST_NUMBER, firsts, NO_STRATUM)


def read_key(connection: Connection) -> bytes:
    """Read the key under which ids say their stratum: it was drawn with the database."""
    found = connection.execute(select(schema.stratum_key.c.secret)).scalars().all()
    if [len(one) for one in found] != [KEY_BYTES]:
        raise DatabaseError(f"'stratum_key' must have one key of {KEY_BYTES} bytes")
    return bytes(found[0])


def read_names(connection: Connection) -> dict[int, str]:
    """Read what strata are called, by their numbers."""
    known = connection.execute(select(schema.strata).order_by(schema.strata.c.number))
    return {row.number: row.name for row in known}


def number_of(connection: Connection, name: str | None) -> int:
    """Return a stratum's number, within a transaction: a name that is new gets the next."""
    if name is None:
        return NO_STRATUM
    numbers = select(schema.strata.c.number)
    for _ in range(ATTEMPTS):
        number = connection.execute(numbers.where(schema.strata.c.name == name)).scalar()
        if number is not None:
            return int(number)
        if len(connection.execute(numbers).all()) >= MOST_STRATA:
            raise Problem("conflict", f"'stratum': there are {MOST_STRATA} already; use one")
        connection.execute(_ADD, {"name": name})
    raise OverloadedError("other servers are adding strata")
