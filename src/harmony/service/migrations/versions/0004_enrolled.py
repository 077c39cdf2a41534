"""The allow-list: when each of its entries enrolled."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the second; entries that enrolled before have none, and count as early as can be."""
    op.add_column("allowed", sa.Column("enrolled", sa.BigInteger))
