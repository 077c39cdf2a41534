"""Shared views: links that show a survey's results to whoever has them, until they expire."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the table of links."""
    op.create_table(
        "shares",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("survey", sa.Integer, sa.ForeignKey("surveys.id"), nullable=False),
        sa.Column("attribute", sa.Text),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.Column("token", sa.String(16), nullable=False),
        sa.Column("who", sa.String(100), nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("expires", sa.Double, nullable=False),
    )
