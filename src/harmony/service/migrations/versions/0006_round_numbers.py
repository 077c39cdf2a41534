"""Numbers of rounds: whose turn it is in a survey with rotation follows from them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Number the rounds of each survey, oldest first, from 1."""
    number = sa.Column("number", sa.Integer, nullable=False, server_default="0")
    op.add_column("rounds", number)
    op.execute(
        "UPDATE rounds SET number = (SELECT count(*) FROM rounds AS earlier "
        "WHERE earlier.survey = rounds.survey AND earlier.id <= rounds.id)"
    )
    op.create_index("one_number", "rounds", ["survey", "number"], unique=True)
