"""Trainings: a device reports in one of their steps only."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add trainings, their steps, and one report a device across the steps of a training."""
    op.create_table(
        "trainings",
        _key("trainings", "survey", "surveys.id"),
        sa.Column("trainer", sa.Text, nullable=False),
        sa.Column("step_seconds", sa.Double, nullable=False),
        sa.Column("least", sa.Integer, nullable=False),
        sa.Column("ended", sa.Double),
        sa.Column("outcome", sa.String(10)),
        sa.Column("late", sa.BigInteger, nullable=False),
        sa.Column("refused", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "steps",
        _key("steps", "round", "rounds.id"),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("wanted", sa.Integer, nullable=False),
        sa.Column("deadline", sa.Double, nullable=False),
        sa.Column("report_bytes", sa.Integer, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )
    of_trainings = sa.text("training IS NOT NULL")
    if op.get_bind().dialect.name == "sqlite":
        op.add_column("chunks", sa.Column("training", sa.Integer))
        op.create_index(
            "one_numbering_a_training",
            "chunks",
            ["training", "first"],
            unique=True,
            sqlite_where=of_trainings,
        )
    else:
        op.add_column("reports", sa.Column("training", sa.Integer))
        op.create_index(
            "one_report_a_training",
            "reports",
            ["training", "device"],
            unique=True,
            postgresql_where=of_trainings,
        )


def _key(table: str, column: str, target: str) -> sa.Column[int]:
    return sa.Column(
        column,
        sa.Integer,
        sa.ForeignKey(target, name=f"fk_{table}_{column}"),
        primary_key=True,
        autoincrement=False,
    )
