"""Device credentials: an HMAC over a device's id and enrolment, under a key that can be rotated.

The server keeps no list of devices: a credential proves that it issued the id, and when.  It is
`<number of the key>-<second of the enrolment>-<32 hex digits of the HMAC-SHA-256>`; keys that are
not retired all verify, the newest that all servers know signs.  Credentials of servers before
protocol 1 lack the second: their devices count as enrolled at 0, earlier than any round.  A request
proves its device by `Authorization: Harmony <id in hex>.<credential>`.
"""

from __future__ import annotations

import os
from binascii import unhexlify
from collections.abc import Callable
from hmac import compare_digest
from typing import NamedTuple

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from sqlalchemy import select, update

from harmony_device.coins import ID_BYTES

from .activity import KEY_ROTATED, SERVER, Actor, note
from .database import Database
from .schema import server_keys

SCHEME = b"Harmony "
SECRET_BYTES = 32
MAC_BYTES = 16

KNOWN_SECONDS = 15.0
"""A key signs when it is so old: by then every other server has read it, and will verify it."""


class Holder(NamedTuple):
    """A device that a credential proves, and the second in which it enrolled."""

    device: bytes
    enrolled: int


class Credentials:
    """The server's keys, as of the last `reload`."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock
        self._keys: dict[bytes, tuple[HMAC, float]] = {}
        self._newest = b""

    def reload(self) -> None:
        """Read the keys, and make the first if there is none."""
        with self._database.read() as connection:
            rows = connection.execute(select(server_keys).order_by(server_keys.c.number)).all()
        if not rows:
            self.rotate(0.0)
            return
        now = self._clock()
        alive = [row for row in rows if row.retires is None or row.retires > now]
        known = [row for row in alive if row.created <= now - KNOWN_SECONDS]
        self._newest = str((known or alive)[-1].number).encode()
        self._keys = {
            str(row.number).encode(): (_key(row.secret), row.retires or float("inf"))
            for row in alive
        }

    def rotate(self, grace_seconds: float, *, by: Actor = SERVER) -> int:
        """Make a new key; the older ones verify for `grace_seconds` more.  Return its number."""
        now = self._clock()
        with self._database.write() as connection:
            retires = now + grace_seconds
            connection.execute(
                update(server_keys)
                .where((server_keys.c.retires.is_(None)) | (server_keys.c.retires > retires))
                .values(retires=retires)
            )
            made = connection.execute(
                server_keys.insert().values(secret=os.urandom(SECRET_BYTES), created=now)
            )
            number = int((made.inserted_primary_key or (0,))[0])
            if by is not SERVER:  # which makes the first
                grace = {"grace_seconds": grace_seconds}
                note(connection, by, now, KEY_ROTATED, f"key {number}", **grace)
        self.reload()
        return number

    def issue(self, device: bytes, enrolled: int) -> str:
        """Return a credential for a device that enrolled in this second, under the newest key."""
        key, _ = self._keys[self._newest]
        second = b"%d" % enrolled
        return f"{self._newest.decode()}-{enrolled}-{_mac(key, device, second).hex()}"

    def holder_of(self, authorization: bytes) -> Holder | None:
        """Return the device that an Authorization header proves, or None if it proves none."""
        if not authorization.startswith(SCHEME):
            return None
        identity, _, credential = authorization[len(SCHEME) :].partition(b".")
        number, _, signed = credential.partition(b"-")
        second, _, claimed = signed.rpartition(b"-")
        known = self._keys.get(number)
        if known is None or len(identity) != 2 * ID_BYTES:
            return None
        key, retires = known
        try:
            device = unhexlify(identity)
            genuine = compare_digest(_mac(key, device, second), unhexlify(claimed))
        except ValueError:
            return None
        if not genuine or self._clock() >= retires:
            return None
        return Holder(device, int(second or b"0"))


def is_device(authorization: bytes) -> bool:
    """Whether this Authorization header is a device's, genuine or not.

    >>> is_device(b"Harmony 00.1-0-00"), is_device(b"Bearer hmy_00")
    (True, False)
    """
    return authorization.startswith(SCHEME)


def _key(secret: bytes) -> HMAC:
    """Return what every HMAC under this secret starts from."""
    return HMAC(secret, SHA256())


def _mac(key: HMAC, device: bytes, second: bytes) -> bytes:
    signing = key.copy()  # spares each report the secret's part of the work
    signing.update(device + second)  # the id has a fixed length, so no two pairs sign alike
    return signing.finalize()[:MAC_BYTES]
