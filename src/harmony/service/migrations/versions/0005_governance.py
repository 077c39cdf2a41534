"""Governance: retention, deletion, sealed ids, public pages, the record of what was done."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import sqlalchemy as sa
from alembic import op

from harmony.service.sealing import marks_of, new_key, seal

revision = "0005"
down_revision = "0004"

ID_BYTES, NO_REPORT = 16, 0xFF
AT_ONCE = 20_000


def upgrade() -> None:
    """Add the columns and tables, and seal the ids of every report that is stored."""
    for column in (
        sa.Column("retention", sa.Integer, nullable=False, server_default="30"),
        sa.Column("public", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("deleted", sa.Double),
        sa.Column("former_name", sa.String(100)),
    ):
        op.add_column("surveys", column)
    for column in (
        sa.Column("retention", sa.Integer, nullable=False, server_default="30"),
        sa.Column("key", sa.Integer),
        sa.Column("dropped", sa.Double),
        sa.Column("emptied", sa.Double),
        sa.Column("deleted", sa.Double),
    ):
        op.add_column("rounds", column)
    op.create_table(
        "round_keys",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("secret", sa.LargeBinary(32), nullable=False),
    )
    op.create_table(
        "activity",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("token", sa.String(16)),
        sa.Column("who", sa.String(100), nullable=False),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("act", sa.String(40), nullable=False),
        sa.Column("subject", sa.String(200), nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
    )
    op.add_column("allowed", sa.Column("mark", sa.LargeBinary(16)))
    sealed = sa.Column("sealed", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("allowed", sealed)
    connection = op.get_bind()
    if connection.dialect.name != "sqlite":
        _keep_no_samples()
    _keep_from_now_on(connection)
    _mark_deleted_devices(connection)
    for round_id, key, size in _rounds(connection):
        if connection.dialect.name == "sqlite":
            _seal_chunks(connection, round_id, key, size)
        else:
            _seal_rows(connection, round_id, key)


def _keep_from_now_on(connection: sa.Connection) -> None:
    """Let the time of rounds that are closed already begin now: nobody chose it for them."""
    ended = "(SELECT ended FROM trainings WHERE trainings.survey = rounds.survey)"
    days = f"CAST((:now - coalesce({ended}, closed)) / 86400 AS INTEGER)"
    connection.execute(
        sa.text(f"UPDATE rounds SET retention = 31 + {days} WHERE closed < :now"),
        {"now": time.time()},
    )


def _keep_no_samples() -> None:
    """Let ANALYZE copy no ids and no keys into PostgreSQL's statistics, and forget those it did."""
    for table, column in (("reports", "device"), ("allowed", "device"), ("round_keys", "secret")):
        op.execute(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE bytea")
        op.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS 0")


def _mark_deleted_devices(connection: sa.Connection) -> None:
    gone = list(connection.execute(sa.text("SELECT device FROM forgotten ORDER BY number")))
    op.drop_table("forgotten")
    op.create_table(
        "forgotten",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("mark", sa.LargeBinary(16), nullable=False),
        sa.UniqueConstraint("mark", name="uq_forgotten_mark"),
    )
    for (device,) in gone:
        added = sa.text("INSERT INTO forgotten (mark) VALUES (:mark)")
        connection.execute(added, {"mark": marks_of(bytes(device))})
    listed = connection.execute(sa.text("SELECT device FROM allowed WHERE device IS NOT NULL"))
    for (device,) in listed.all():
        marked = sa.text("UPDATE allowed SET mark = :mark WHERE device = :device")
        connection.execute(marked, {"mark": marks_of(bytes(device)), "device": device})


def _rounds(connection: sa.Connection) -> Iterator[tuple[int, bytes, int]]:
    """Give every round a key, the steps of a training the same; yield it with a report's size."""
    rows = connection.execute(
        sa.text(
            "SELECT rounds.id, rounds.survey, trainings.survey AS training, report_bytes, "
            "surveys.document FROM rounds JOIN surveys ON surveys.id = rounds.survey "
            "LEFT JOIN trainings ON trainings.survey = rounds.survey "
            "LEFT JOIN steps ON steps.round = rounds.id ORDER BY rounds.id"
        )
    ).all()
    keys: dict[tuple[str, int], tuple[int, bytes]] = {}
    for row in rows:
        scope = ("round", row.id) if row.training is None else ("training", row.training)
        if scope not in keys:
            keys[scope] = len(keys) + 1, new_key()
            connection.execute(
                sa.text("INSERT INTO round_keys (number, secret) VALUES (:number, :key)"),
                dict(zip(("number", "key"), keys[scope], strict=True)),
            )
        number, key = keys[scope]
        connection.execute(
            sa.text("UPDATE rounds SET key = :number WHERE id = :id"),
            {"number": number, "id": row.id},
        )
        yield row.id, key, row.report_bytes or _report_bytes(json.loads(row.document))
    if rows and connection.dialect.name != "sqlite":
        connection.execute(
            sa.text(
                "SELECT setval(pg_get_serial_sequence('round_keys', 'number'), "
                "(SELECT max(number) FROM round_keys))"
            )
        )


def _report_bytes(document: dict[str, Any]) -> int:
    """Return the size of a survey's reports: id, tier, and symbols of one byte or two."""
    tables = document["tables"]
    used = {mechanism["table"] for one in document["attributes"] for mechanism in one["mechanisms"]}
    widest = max(
        len(tables[place]["counts"] if tables[place]["kind"] == "circulant"
            else tables[place]["counts"][0])
        for place in used
    )  # fmt: skip
    return ID_BYTES + 1 + int(document["answers"]) * (1 if widest <= 256 else 2)


def _seal_chunks(connection: sa.Connection, round_id: int, key: bytes, size: int) -> None:
    firsts = connection.execute(
        sa.text("SELECT first FROM chunks WHERE round = :round ORDER BY first"), {"round": round_id}
    ).scalars()
    for first in firsts.all():
        place = {"round": round_id, "first": first}
        packed = connection.execute(
            sa.text("SELECT reports FROM chunks WHERE round = :round AND first = :first"), place
        ).scalar_one()
        rows = np.frombuffer(packed, np.uint8).reshape(-1, size).copy()
        there = rows[:, ID_BYTES] != NO_REPORT
        ids = np.frombuffer(seal(rows[there, :ID_BYTES].tobytes(), key), np.uint8)
        rows[there, :ID_BYTES] = ids.reshape(-1, ID_BYTES)
        connection.execute(
            sa.text("UPDATE chunks SET reports = :reports WHERE round = :round AND first = :first"),
            place | {"reports": rows.tobytes()},
        )


def _seal_rows(connection: sa.Connection, round_id: int, key: bytes) -> None:
    stored = sa.text("SELECT device FROM reports WHERE round = :round").execution_options(
        stream_results=True, max_row_buffer=AT_ONCE
    )
    devices = connection.execute(stored, {"round": round_id}).scalars()
    for some in devices.partitions(AT_ONCE):
        sealed = seal(b"".join(some), key)
        connection.execute(
            sa.text(
                "UPDATE reports SET device = new.sealed FROM "
                "unnest(CAST(:devices AS bytea[]), CAST(:sealed AS bytea[])) AS new(device, sealed)"
                " WHERE round = :round AND reports.device = new.device"
            ),
            {
                "round": round_id,
                "devices": list(some),
                "sealed": [
                    sealed[place : place + ID_BYTES] for place in range(0, len(sealed), ID_BYTES)
                ],
            },
        )
