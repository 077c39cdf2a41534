"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table of this database's dialect."""
    dialect = op.get_bind().dialect.name
    op.create_table(
        "surveys",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("schedule", sa.String(10)),
        sa.Column("created", sa.Double, nullable=False),
        sa.UniqueConstraint("name", name="uq_surveys_name"),
    )
    op.create_table(
        "rounds",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column(
            "survey",
            sa.Integer,
            sa.ForeignKey("surveys.id", name="fk_rounds_survey"),
            nullable=False,
        ),
        sa.Column("label", sa.String(64), nullable=False),
        sa.Column("seed", sa.LargeBinary(16), nullable=False),
        sa.Column("opened", sa.Double, nullable=False),
        sa.Column("closes", sa.Double),
        sa.Column("closed", sa.Double),
        sa.UniqueConstraint("survey", "label", name="uq_rounds_survey_label"),
    )
    still_open = sa.text("closed IS NULL")
    op.create_index(
        "one_open_round",
        "rounds",
        ["survey"],
        unique=True,
        sqlite_where=still_open,
        postgresql_where=still_open,
    )
    for name, key, value in (("counts", "cell", "count"), ("totals", "tier", "reports")):
        op.create_table(
            name,
            _round_key(name),
            sa.Column("shard", sa.Integer, primary_key=True, autoincrement=False),
            sa.Column(key, sa.Integer, primary_key=True, autoincrement=False),
            sa.Column(value, sa.BigInteger, nullable=False),
            sqlite_with_rowid=False,
        )
    if dialect == "sqlite":
        op.create_table(
            "chunks",
            _round_key("chunks"),
            sa.Column("first", sa.Integer, primary_key=True, autoincrement=False),
            sa.Column("reports", sa.LargeBinary, nullable=False),
        )
    else:
        op.create_table(
            "reports",
            _round_key("reports"),
            sa.Column("device", sa.LargeBinary(16), primary_key=True),
            sa.Column("body", sa.LargeBinary, nullable=False),
        )
    op.create_table(
        "forgotten",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("device", sa.LargeBinary(16), nullable=False),
        sa.UniqueConstraint("device", name="uq_forgotten_device"),
    )
    op.create_table(
        "server_keys",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("secret", sa.LargeBinary(32), nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("retires", sa.Double),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("expires", sa.Double),
    )
    op.create_table(
        "allowed",
        sa.Column("digest", sa.LargeBinary(32), primary_key=True),
        sa.Column("device", sa.LargeBinary(16)),
    )


def _round_key(table: str) -> sa.Column[int]:
    return sa.Column(
        "round",
        sa.Integer,
        sa.ForeignKey("rounds.id", name=f"fk_{table}_round"),
        primary_key=True,
        autoincrement=False,
    )
