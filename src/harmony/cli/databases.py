"""Opening a server's database from the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DataError, HarmonyError

if TYPE_CHECKING:
    from ..service.database import Database

PATIENCE_SECONDS = 3600.0
"""How long one statement may take: a recount, say, of a large round."""


@contextmanager
def opened(place: str, *, any_version: bool = False) -> Iterator[Database]:
    """Open a database that is there, of this Harmony's version unless any will do."""
    if "://" not in place and not Path(place).is_file():
        raise DataError(f"{place}: there is no such database")
    try:
        from ..service.database import SCHEMA_VERSION, Database, DatabaseError
    except ModuleNotFoundError as missing:
        raise HarmonyError(
            f"a server's database needs {missing.name}: pip install 'harmony-ldp[service]'"
        ) from None
    database = Database(place, PATIENCE_SECONDS)
    try:
        version = database.version()
        if version is None:
            raise DatabaseError(f"{place}: cannot be read, or is not a database of Harmony")
        if not any_version and version != SCHEMA_VERSION:
            raise DatabaseError(
                f"{place}: has schema version {version}, this Harmony needs {SCHEMA_VERSION}; "
                f"run: harmony upgrade {place}"
            )
        yield database
    finally:
        database.close()
