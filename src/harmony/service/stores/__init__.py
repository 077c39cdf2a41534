"""Stores: the write path's side of the database, one for each kind of database."""

from __future__ import annotations

from harmony.service.database import Database, postgres_url

from .base import ReportsDroppedError, Store, StoreError

__all__ = ["ReportsDroppedError", "Store", "StoreError", "open_store"]


def open_store(database: Database) -> Store:
    """Return the store of this database."""
    if database.is_sqlite:
        from .sqlite import SqliteStore

        return SqliteStore(str(database.url.database), database.seconds)
    from .postgres import PostgresStore

    return PostgresStore(postgres_url(database.url), database.seconds)
