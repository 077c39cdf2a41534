"""Sealed ids: what the database keeps in place of a device's id.

Each round has a key, drawn when it opens.  The database keeps the AES-256 encryption of an id
under that key: a permutation, so a device still reports once, but no two rounds know it by the
same name.  When the key is thrown away nobody can tell any more which device a sealed id was,
wherever copies of it are left: in the gaps of a file's pages, in a log, in an archive.

The steps of a training share a key, because a device reports in one of them only.

Of a device that was deleted, a mark stays: a hash by which it is refused, and which cannot be
turned back into its id.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256
from threading import Lock

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

KEY_BYTES = 32
NO_KEY = bytes(KEY_BYTES)
"""What overwrites a key that is thrown away."""

Ids = Callable[[bytes], bytes]
"""Ids that lie end to end, as they become: whole blocks of a cipher, each by itself."""


def new_key() -> bytes:
    """Draw a key."""
    return os.urandom(KEY_BYTES)


def sealer(key: bytes) -> Ids:
    """Return what seals ids under a key, as often as it is called, and by several threads."""
    return _one_at_a_time(_cipher(key).encryptor().update)


def unsealer(key: bytes) -> Ids:
    """Return what gives back ids that were sealed under a key, likewise."""
    return _one_at_a_time(_cipher(key).decryptor().update)


def seal(ids: bytes, key: bytes) -> bytes:
    """Return ids, which lie end to end, as they are known under a key.

    >>> unseal(seal(bytes(range(32)), NO_KEY), NO_KEY) == bytes(range(32))
    True
    """
    return sealer(key)(ids)


def unseal(sealed: bytes, key: bytes) -> bytes:
    """Return the ids that were sealed under a key."""
    return unsealer(key)(sealed)


def marks_of(ids: bytes) -> bytes:
    """Return by what deleted devices are known again: marks for ids that lie end to end.

    A block cipher under a known key, added to what went in (Davies and Meyer): as hard to turn back
    as any hash, and quick enough to ask of every report whether its device was deleted.

    >>> marks_of(bytes(16)).hex()
    '0f43af56434e5dc2db15af11af13d663'
    """
    sealed = np.frombuffer(_seal_known(ids), np.uint8)
    return (sealed ^ np.frombuffer(ids, np.uint8)).tobytes()


def _one_at_a_time(update: Ids) -> Ids:
    lock = Lock()

    def updated(ids: bytes) -> bytes:
        with lock:
            return update(ids)

    return updated


def _cipher(key: bytes) -> Cipher[modes.ECB]:
    # One block an id, all ids of a round different: this is a random permutation, no stream.
    return Cipher(algorithms.AES(key), modes.ECB())


_seal_known = sealer(sha256(b"the marks of devices that Harmony deleted").digest())
