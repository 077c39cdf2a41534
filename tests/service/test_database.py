"""The schema: one description for both databases, and no start on an unknown version."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import MetaData, text

from harmony.service.database import SCHEMA_VERSION, Database, DatabaseError
from harmony.service.schema import tables_of


def test_the_migrations_make_the_schema_that_the_code_describes(place: str) -> None:
    database = Database(place)
    database.migrate()
    described = MetaData()
    for table in tables_of("sqlite" if database.is_sqlite else "postgresql"):
        table.to_metadata(described)
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, described) == []
        assert context.get_current_revision() == SCHEMA_VERSION
    database.close()


def test_migrating_twice_changes_nothing(place: str) -> None:
    for _ in range(2):
        database = Database(place)
        database.migrate()
        database.close()


def test_an_unknown_schema_version_is_refused(place: str) -> None:
    database = Database(place)
    database.migrate()
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseError, match="'9999', which this Harmony does not know"):
        database.migrate()
    database.close()


def test_another_programs_database_is_left_alone(place: str) -> None:
    database = Database(place)
    with database.write() as connection:
        connection.execute(text("CREATE TABLE surveys (anything INTEGER)"))
    with pytest.raises(DatabaseError, match="another program"):
        database.migrate()
    database.close()


@pytest.mark.parametrize("bad", ["mysql://x/y", "http://x", "sqlite://", "://"])
def test_a_place_that_is_no_database_is_refused(bad: str) -> None:
    with pytest.raises(DatabaseError, match="'database'"):
        Database(bad)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.db"
    path.write_text("this is not a database at all" * 100)
    with pytest.raises(DatabaseError):
        Database(str(path)).migrate()


def test_a_database_that_does_not_respond_is_named_so() -> None:
    with pytest.raises(DatabaseError, match="cannot be opened"):
        Database("postgresql://nobody@127.0.0.1:1/none").migrate()


def test_sqlite_is_synced_to_disk_at_every_commit(tmp_path: Path) -> None:
    from harmony.service.stores.sqlite import SqliteStore

    store = SqliteStore(str(tmp_path / "x.db"))
    assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)
    store.close()
