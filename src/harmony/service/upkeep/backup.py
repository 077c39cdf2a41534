"""Backups of SQLite: a copy of one moment, while the server runs.

`VACUUM INTO` reads one snapshot and writes a compact file, without what is left in the gaps of
pages.  Nobody waits for it but the erasure of what was deleted, until it is done.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from harmony.service.database import Database, DatabaseError
from harmony.service.patience import DATABASE_SECONDS

OWN_EYES = 0o600
"""A copy holds the server's keys: only its owner reads it."""


def back_up(database: Database, target: Path) -> int:
    """Copy a SQLite database to a new file, and check the copy; return its size in bytes."""
    source = existing_sqlite(database)
    if target.exists():
        raise DatabaseError(f"{target}: is there already; name a new file")
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWN_EYES))
        with closing(
            sqlite3.connect(source, timeout=DATABASE_SECONDS, isolation_level=None)
        ) as plain:
            plain.execute("VACUUM INTO ?", (str(unfinished),))
        check_file(unfinished)
        _sync(unfinished)
        unfinished.rename(target)
        _sync(target.parent)
    except sqlite3.Error as problem:
        raise DatabaseError(f"{source}: cannot be copied ({problem})") from None
    finally:
        unfinished.unlink(missing_ok=True)
    return target.stat().st_size


def existing_sqlite(database: Database) -> Path:
    """Return the file of a SQLite database, or refuse another."""
    if not database.is_sqlite:
        raise DatabaseError(
            "PostgreSQL has its own means: pg_dump, or a base backup with archived logs; "
            "see docs/operations.md"
        )
    source = Path(str(database.url.database))
    if not source.is_file():
        raise DatabaseError(f"{source}: there is no such database")
    return source


def check_file(path: Path) -> None:
    """Raise DatabaseError if a SQLite file is damaged."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as open_:
            ((said,), *_) = open_.execute("PRAGMA integrity_check(1)").fetchall()
    except sqlite3.Error as problem:
        raise DatabaseError(f"{path}: is damaged ({problem})") from None
    if said != "ok":
        raise DatabaseError(f"{path}: is damaged ({said})")


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
