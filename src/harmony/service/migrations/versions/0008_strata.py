"""Strata: what enrolment keys and entries of the list put devices into."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from harmony.service.sealing import new_key

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the tables and columns, and draw the key; devices of before are in no stratum."""
    op.create_table(
        "strata",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.UniqueConstraint("name", name="uq_strata_name"),
    )
    key = op.create_table("stratum_key", sa.Column("secret", sa.LargeBinary(32), primary_key=True))
    op.bulk_insert(key, [{"secret": new_key()}])
    for table in ("tokens", "allowed"):
        op.add_column(table, sa.Column("stratum", sa.Integer, nullable=False, server_default="0"))
    if op.get_bind().dialect.name != "sqlite":  # ANALYZE must not copy the key into statistics
        op.execute("ALTER TABLE stratum_key ALTER COLUMN secret SET STATISTICS 0")
