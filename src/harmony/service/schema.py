"""The database: what the service keeps, as SQLAlchemy Core tables.

A tally is `counts` (one row a cell and shard) and `totals` (reports a tier and shard), written
in the transaction that stores the reports.  Shards keep several servers from waiting for the
same rows; a tally is their sum.  Each stratum (`strata`) has shards of its own, `SHARDS` of them,
so the tally of a stratum is a sum of shards as well; the first are of devices without a stratum.

PostgreSQL keeps one row a report.  SQLite keeps chunks: the reports that one commit added to a
round, end to end, under the ordinal of the first.  Random device ids would make every commit
rewrite most pages of a B-tree; a chunk is appended once (see `stores.sqlite`).

A training is a row of `surveys` (so names are unique among both) with a row of `trainings`, and
each of its steps is a round.  What differs is that a device may report in one step only: its
reports carry `training`, whose unique index spans the steps.  Surveys leave it empty, and the
index does not hold them.

No table holds a device's id: reports have it sealed under the key of their round (`sealing`).  Keys
are overwritten, never deleted, so that no copy of one is left where SQLite moved rows about.

Rows of surveys and rounds stay when they are deleted, without what they said: devices remember
the labels that they answered, so a name and a label are never given to other rounds.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

RETENTION_DAYS = 30
"""How long the reports of a closed round are kept unless a survey says otherwise."""

SHARDS = 1024
"""How many shards a stratum has: one for each server that may share the database."""

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
    }
)

surveys = Table(
    "surveys",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(100), nullable=False, unique=True),
    Column("fingerprint", String(64), nullable=False),
    Column("document", Text, nullable=False),
    Column("schedule", String(10)),
    Column("created", Double, nullable=False),
    Column("retention", Integer, nullable=False, server_default=str(RETENTION_DAYS)),
    Column("public", Boolean, nullable=False, server_default=false()),
    Column("deleted", Double),
    Column("former_name", String(100)),
)

rounds = Table(
    "rounds",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("survey", Integer, ForeignKey("surveys.id"), nullable=False),
    Column("number", Integer, nullable=False, server_default="0"),
    Column("label", String(64), nullable=False),
    Column("seed", LargeBinary(16), nullable=False),
    Column("opened", Double, nullable=False),
    Column("closes", Double),
    Column("closed", Double),
    Column("retention", Integer, nullable=False, server_default=str(RETENTION_DAYS)),
    Column("key", Integer),
    Column("dropped", Double),
    Column("emptied", Double),
    Column("deleted", Double),
    UniqueConstraint("survey", "label"),
)

one_number = Index("one_number", rounds.c.survey, rounds.c.number, unique=True)

round_keys = Table(
    "round_keys",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("secret", LargeBinary(32), nullable=False),
)

one_open_round = Index(
    "one_open_round",
    rounds.c.survey,
    unique=True,
    sqlite_where=text("closed IS NULL"),
    postgresql_where=text("closed IS NULL"),
)

trainings = Table(
    "trainings",
    metadata,
    Column("survey", Integer, ForeignKey("surveys.id"), primary_key=True, autoincrement=False),
    Column("trainer", Text, nullable=False),
    Column("step_seconds", Double, nullable=False),
    Column("least", Integer, nullable=False),
    Column("ended", Double),
    Column("outcome", String(10)),
    Column("late", BigInteger, nullable=False),
    Column("refused", BigInteger, nullable=False),
)

steps = Table(
    "steps",
    metadata,
    Column("round", Integer, ForeignKey("rounds.id"), primary_key=True, autoincrement=False),
    Column("number", Integer, nullable=False),
    Column("wanted", Integer, nullable=False),
    Column("deadline", Double, nullable=False),
    Column("report_bytes", Integer, nullable=False),
    Column("document", Text, nullable=False),
)

counts = Table(
    "counts",
    metadata,
    Column("round", Integer, ForeignKey("rounds.id"), primary_key=True, autoincrement=False),
    Column("shard", Integer, primary_key=True, autoincrement=False),
    Column("cell", Integer, primary_key=True, autoincrement=False),
    Column("count", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

totals = Table(
    "totals",
    metadata,
    Column("round", Integer, ForeignKey("rounds.id"), primary_key=True, autoincrement=False),
    Column("shard", Integer, primary_key=True, autoincrement=False),
    Column("tier", Integer, primary_key=True, autoincrement=False),
    Column("reports", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

reports = Table(
    "reports",
    metadata,
    Column("round", Integer, primary_key=True, autoincrement=False),  # seen open by who adds it
    Column("device", LargeBinary(16), primary_key=True),
    Column("body", LargeBinary, nullable=False),
    Column("training", Integer),
    info={"dialect": "postgresql"},
)

one_report_a_training = Index(
    "one_report_a_training",
    reports.c.training,
    reports.c.device,
    unique=True,
    postgresql_where=text("training IS NOT NULL"),
)

chunks = Table(
    "chunks",
    metadata,
    Column("round", Integer, ForeignKey("rounds.id"), primary_key=True, autoincrement=False),
    Column("first", Integer, primary_key=True, autoincrement=False),
    Column("reports", LargeBinary, nullable=False),
    Column("training", Integer),
    info={"dialect": "sqlite"},
)

one_numbering_a_training = Index(
    "one_numbering_a_training",
    chunks.c.training,
    chunks.c.first,
    unique=True,
    sqlite_where=text("training IS NOT NULL"),
)

forgotten = Table(
    "forgotten",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("mark", LargeBinary(16), nullable=False, unique=True),
)

server_keys = Table(
    "server_keys",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("secret", LargeBinary(32), nullable=False),
    Column("created", Double, nullable=False),
    Column("retires", Double),
)

strata = Table(
    "strata",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("name", String(64), nullable=False, unique=True),
)

stratum_key = Table(
    "stratum_key",
    metadata,
    Column("secret", LargeBinary(32), primary_key=True),
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("name", String(100), nullable=False),
    Column("role", String(10), nullable=False),
    Column("digest", LargeBinary(32), nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double),
    Column("stratum", Integer, nullable=False, server_default="0"),
)

shares = Table(
    "shares",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("survey", Integer, ForeignKey("surveys.id"), nullable=False),
    Column("attribute", Text),
    Column("name", String(100), nullable=False),
    Column("digest", LargeBinary(32), nullable=False),
    Column("token", String(16), nullable=False),
    Column("who", String(100), nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double, nullable=False),
)

allowed = Table(
    "allowed",
    metadata,
    Column("digest", LargeBinary(32), primary_key=True),
    Column("device", LargeBinary(16)),
    Column("enrolled", BigInteger),
    Column("mark", LargeBinary(16)),
    Column("sealed", Boolean, nullable=False, server_default=false()),
    Column("stratum", Integer, nullable=False, server_default="0"),
)

activity = Table(
    "activity",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("at", Double, nullable=False),
    Column("token", String(16)),
    Column("who", String(100), nullable=False),
    Column("role", String(10), nullable=False),
    Column("act", String(40), nullable=False),
    Column("subject", String(200), nullable=False),
    Column("detail", Text, nullable=False),
)


def tables_of(dialect: str) -> list[Table]:
    """Return the tables that a database of this dialect has."""
    return [one for one in metadata.sorted_tables if one.info.get("dialect", dialect) == dialect]
