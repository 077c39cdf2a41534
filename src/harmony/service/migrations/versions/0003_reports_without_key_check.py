"""Reports on PostgreSQL: their round is not looked up once more for each row."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Drop the foreign key: a report is added by a statement that has seen its round open.

    PostgreSQL checked it with a query and a lock on the round for each report, and servers
    that commit at the same time had to share that lock.
    """
    if op.get_bind().dialect.name != "sqlite":
        op.drop_constraint("fk_reports_round", "reports", type_="foreignkey")
