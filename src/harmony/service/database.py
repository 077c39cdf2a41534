"""The database connection for everything but the write path, and the schema's version."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, OperationalError, SQLAlchemyError

from harmony.errors import HarmonyError

from .patience import DATABASE_SECONDS, Silence
from .same_file import SameFile

GATE = 0x4841524D
"""PostgreSQL's advisory lock that commits share; closing a round or forgetting a device has it
alone, so that neither can miss a report that is being committed."""

MIGRATING = GATE + 1

SCHEMA_VERSION = "0008"
"""The newest migration: a database that has it needs none, and alembic is not even imported."""

SEALED_SINCE = "0005"
"""Before this version the database held the ids of devices as they are."""


class DatabaseError(HarmonyError):
    """The database cannot be used: unreachable, not Harmony's, or of an unknown version."""


class Database:
    """One engine: `read()` gives a consistent snapshot, `write()` a transaction.

    A place is a file's path or `sqlite:///path` (SQLite), or `postgresql://...`.
    """

    def __init__(self, place: str, seconds: float = DATABASE_SECONDS) -> None:
        self.url = _url(place)
        self.seconds = seconds
        """How long a statement may take."""
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._silence = Silence()
        if self.is_sqlite:
            self.engine = _sqlite_engine(self.url, seconds)
        else:
            self.engine = _postgres_engine(self.url, seconds, self._silence)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a snapshot: what it sees does not change while others commit."""
        self._silence.check()
        options: dict[str, Any] = {"harmony_read": True}
        if not self.is_sqlite:
            options["isolation_level"] = "REPEATABLE READ"
        with (
            self.engine.connect() as plain,
            (connection := plain.execution_options(**options)).begin(),
        ):
            yield connection

    @contextmanager
    def write(self, *, alone: bool = False) -> Iterator[Connection]:
        """Open a transaction; `alone` waits until no commit of reports is under way."""
        self._silence.check()
        with self.engine.begin() as connection:
            if alone and not self.is_sqlite:
                connection.execute(text("SELECT pg_advisory_xact_lock(:gate)"), {"gate": GATE})
            yield connection

    def migrate(self) -> None:
        """Bring the schema to this Harmony's version; refuse one it does not know."""
        if self.version() == SCHEMA_VERSION:
            return
        if self._upgrade():
            # Two steps: if this process ends between them, the next still writes the files anew.
            self.compact()
            self._upgrade(is_compact=True)

    def _upgrade(self, *, is_compact: bool = False) -> bool:
        """Bring the schema to this Harmony's version, in one transaction.

        Returns whether it stopped where the files, which held ids, are to be written anew first.
        """
        from alembic import command
        from alembic.config import Config
        from alembic.script import ScriptDirectory

        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
        known = {one.revision for one in ScriptDirectory.from_config(config).walk_revisions()}
        try:
            self._silence.check()
            with self._unhurried() as engine, engine.begin() as connection:
                if not self.is_sqlite:
                    key = {"key": MIGRATING}
                    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), key)
                before = _known_version(connection, known)
                held_ids = not is_compact and before is not None and before <= SEALED_SINCE
                config.attributes["connection"] = connection
                command.upgrade(config, SEALED_SINCE if held_ids else SCHEMA_VERSION)
                return held_ids
        except OperationalError as problem:
            raise DatabaseError(f"the database cannot be opened: {problem.orig}") from None
        except SQLAlchemyError as problem:
            raise DatabaseError(f"the database cannot be migrated: {problem}") from None

    def compact(self) -> None:
        """Write the files anew, so that nothing of what was deleted is left between their rows.

        It takes as long as a copy of the database, and nobody can write to it meanwhile.
        """
        if not self.is_sqlite:
            self.vacuum(("reports", "forgotten", "allowed", "round_keys", "pg_statistic"))
            return
        with closing(self.engine.raw_connection()) as pooled:
            for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                pooled.driver_connection.execute(statement)  # type: ignore[union-attr]  # it is open

    def vacuum(self, tables: Sequence[str], lock_seconds: float = 0.0) -> None:
        """Write PostgreSQL's tables anew; give up if one cannot be had alone within some time."""
        with self._unhurried() as engine, engine.connect() as plain:
            connection = plain.execution_options(isolation_level="AUTOCOMMIT")
            connection.execute(text(f"SET lock_timeout = {lock_seconds * 1000:.0f}"))
            for table in tables:
                connection.execute(text(f"VACUUM (FULL) {table}"))
            connection.execute(text("RESET lock_timeout"))

    @contextmanager
    def _unhurried(self) -> Iterator[Engine]:
        """Give an engine whose statements may take what they take: there may be much to do."""
        engine = self.engine if self.is_sqlite else create_engine(self.url, hide_parameters=True)
        try:
            yield engine
        finally:
            if engine is not self.engine:
                engine.dispose()

    def version(self) -> str | None:
        """Return the schema's version, or None if it has none yet."""
        try:
            with self.read() as connection:
                stored = text("SELECT version_num FROM alembic_version")
                return str(connection.execute(stored).scalar_one())
        except SQLAlchemyError:
            return None

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def _known_version(connection: Connection, known: set[str]) -> str | None:
    """Return the schema's version, or None if it has none yet; refuse one that is not known."""
    version = None
    present = set(inspect(connection).get_table_names())
    if "alembic_version" in present:
        stored = connection.execute(text("SELECT version_num FROM alembic_version")).scalars()
        for version in stored:
            if version not in known:
                raise DatabaseError(
                    f"the database has schema version {version!r}, which this Harmony does not "
                    "know; run the Harmony that wrote it, or a newer one"
                )
    elif present & {"surveys", "rounds", "tokens"}:
        raise DatabaseError(
            "the database has tables of another program; give Harmony a database of its own"
        )
    return version


def _url(place: str) -> URL:
    if "://" not in place:
        return URL.create("sqlite", database=place)
    try:
        url = make_url(place)
    except ArgumentError:
        raise DatabaseError("'database' is not a file's path or a database URL") from None
    backend = url.get_backend_name()
    if backend in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if backend == "sqlite" and url.database:
        return url.set(drivername="sqlite")
    raise DatabaseError("'database' must be a file's path, or a sqlite:// or postgresql:// URL")


def postgres_url(url: URL) -> str:
    """Return the address of a PostgreSQL as libpq reads it."""
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


def _postgres_engine(url: URL, seconds: float, silence: Silence) -> Engine:
    from .patient_connection import connector

    engine = create_engine(
        url,
        creator=connector(postgres_url(url), seconds, silence),
        pool_pre_ping=True,
        pool_size=5,
        max_overflow=10,
        pool_timeout=seconds,
        hide_parameters=True,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        # The server gives up, too; and locks are free again if this process is stopped with them.
        for setting in ("statement_timeout", "idle_in_transaction_session_timeout"):
            connection.execute(f"SET {setting} = {round(seconds * 1000)}")
        connection.commit()

    return engine


def _sqlite_engine(url: URL, seconds: float) -> Engine:
    engine = create_engine(url, connect_args={"timeout": seconds}, hide_parameters=True)
    return _with_explicit_begin(_on_same_file(engine, str(url.database)))


def _on_same_file(engine: Engine, path: str) -> Engine:
    """Let nobody read or write a file that is not, or no longer, where the database was."""
    first: list[SameFile] = []

    @event.listens_for(engine, "connect")
    def remember(_connection: Any, _record: Any) -> None:
        if not first:  # connecting has made it, if there was none
            first.append(SameFile(path))
        first[0].check()

    @event.listens_for(engine, "commit")
    def check(_connection: Connection) -> None:
        first[0].check()

    return engine


def _with_explicit_begin(engine: Engine) -> Engine:
    """Take over BEGIN from the driver: writers queue for the lock, readers never wait."""

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            "secure_delete=ON",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        reading = connection.get_execution_options().get("harmony_read")
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")

    return engine
