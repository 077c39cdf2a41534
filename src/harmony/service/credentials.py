"""Device credentials: an HMAC over the device's id, under a server key that can be rotated.

The server keeps no list of devices: a credential proves that it issued the id.  A credential
is `<number of the key>-<HMAC-SHA-256, 32 hex digits>`; keys that are not retired all verify,
the newest signs.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from binascii import unhexlify
from collections.abc import Callable

from sqlalchemy import select, update

from harmony_device.coins import ID_BYTES

from .database import Database
from .schema import server_keys

SECRET_BYTES = 32
MAC_BYTES = 16


class Credentials:
    """The server's keys, as of the last `reload`."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock
        self._keys: dict[bytes, tuple[Signer, float]] = {}
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
        self._newest = str(alive[-1].number).encode()
        self._keys = {
            str(row.number).encode(): (Signer(bytes(row.secret)), row.retires or float("inf"))
            for row in alive
        }

    def rotate(self, grace_seconds: float) -> int:
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
        self.reload()
        return number

    def issue(self, device: bytes) -> str:
        """Return a credential for this device, under the newest key."""
        return f"{self._newest.decode()}-{self._keys[self._newest][0](device).hex()}"

    def device_of(self, authorization: bytes) -> bytes | None:
        """Return the device of `<id in hex>.<credential>`, or None if it is not genuine."""
        identity, _, credential = authorization.partition(b".")
        number, _, claimed = credential.partition(b"-")
        known = self._keys.get(number)
        if known is None or len(identity) != 2 * ID_BYTES:
            return None
        try:
            device = unhexlify(identity)
            genuine = hmac.compare_digest(known[0](device), unhexlify(claimed))
        except ValueError:
            return None
        return device if genuine and self._clock() < known[1] else None


class Signer:
    """HMAC-SHA-256 under one secret, with the secret's part of the work done once.

    >>> Signer(b"k" * 32)(b"device").hex() == hmac.digest(b"k" * 32, b"device", "sha256").hex()[:32]
    True
    """

    def __init__(self, secret: bytes) -> None:
        padded = secret.ljust(64, b"\0")
        self._inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in padded))
        self._outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in padded))

    def __call__(self, device: bytes) -> bytes:
        """Return the first 16 bytes of the HMAC."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(device)
        outer.update(inner.digest())
        return outer.digest()[:MAC_BYTES]
