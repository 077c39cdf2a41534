"""Rounds as the database keeps them: opened, closed and read within somebody's transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Connection, func, literal, or_, select, update

from harmony.arrays import Counts
from harmony.rounds import Round
from harmony.survey import Survey
from harmony.tally import Tally

from . import schema
from .ingest.blocks import LiveRound
from .retention import drop_at_close
from .sealing import new_key
from .strata import NO_STRATUM

KEPT_ROUNDS = (
    select(schema.rounds, schema.round_keys.c.secret)
    .outerjoin(schema.round_keys, schema.round_keys.c.number == schema.rounds.c.key)
    .where(schema.rounds.c.deleted.is_(None))
    .order_by(schema.rounds.c.id)
)

SIGNS_OF_CHANGE = select(
    *(
        select(sign).scalar_subquery()
        for sign in (
            func.max(schema.surveys.c.id),
            func.count(schema.surveys.c.deleted),
            func.max(schema.rounds.c.id),
            func.count(schema.rounds.c.closed),
            func.count(schema.rounds.c.dropped),
            func.count(schema.rounds.c.deleted),
        )
    )
)
"""What differs when a server has added or deleted a survey, opened or closed a round."""


def insert_round(
    connection: Connection, survey: int, opened: Round, closes: float | None, now: float
) -> int:
    """Open a round within a transaction, and return its id; its number follows the last one.

    Rounds of deleted surveys of the same name count: devices remember their numbers.
    """
    ours, all_ = schema.surveys.alias(), schema.surveys.c
    same = (
        select(all_.id)
        .join(ours, or_(all_.id == ours.c.id, all_.former_name == ours.c.name))
        .where(ours.c.id == survey)
    )
    last = select(func.coalesce(func.max(schema.rounds.c.number), 0) + 1)
    following = last.where(schema.rounds.c.survey.in_(same)).scalar_subquery()
    row = schema.rounds.insert().values(
        survey=survey,
        number=following if opened.number is None else opened.number,
        label=opened.label,
        seed=opened.seed,
        opened=now,
        closes=closes,
        key=_key_number(connection, survey),
        # A survey that is gone has none, and the database refuses the row; who deletes it just now
        # is waited for, or the round would be left behind.
        retention=select(schema.surveys.c.retention)
        .where(schema.surveys.c.id == survey, schema.surveys.c.deleted.is_(None))
        .with_for_update(read=True, key_share=True)
        .scalar_subquery(),
    )
    return int(connection.execute(row.returning(schema.rounds.c.id)).scalar_one())


def _key_number(connection: Connection, survey: int) -> int:
    """Draw a key for a new round; the steps of a training share that of its first."""
    shared = (
        select(func.max(schema.rounds.c.key))
        .join(schema.trainings, schema.trainings.c.survey == schema.rounds.c.survey)
        .where(schema.rounds.c.survey == survey)
    )
    number = connection.execute(shared).scalar_one()
    if number is None:
        drawn = schema.round_keys.insert().values(secret=new_key())
        number = connection.execute(drawn.returning(schema.round_keys.c.number)).scalar_one()
    return int(number)


def live_round(
    row: Any, survey: Survey, training: int | None, stratum_key: bytes | None
) -> LiveRound:
    """Read a round from its row and its key's, ready for its first report if it is open."""
    number = row.number if training is None else None  # a device takes part in one step of all
    opened = Round(row.label, bytes(row.seed), number)
    live = LiveRound(row.id, survey, opened, row.opened, training, _key(row), stratum_key)
    if row.closed is None:  # compile its kernels before its first report
        live.locate(np.zeros((1, live.size), np.uint8))
    return live


def with_key(live: LiveRound, row: Any) -> LiveRound:
    """Return a round that is known already, without its key once that was thrown away."""
    key = _key(row)
    return live if live.key == key else replace(live, key=key)


def _key(row: Any) -> bytes | None:
    return None if row.dropped is not None else bytes(row.secret)


def read_tally(connection: Connection, live: LiveRound) -> Tally:
    """Read a round's tally within a transaction."""
    whole = _tallies(connection, live, lambda _: literal(NO_STRATUM))
    return whole.get(NO_STRATUM) or Tally.empty(live.survey, live.round)


def read_tallies(connection: Connection, live: LiveRound) -> dict[int, Tally]:
    """Read the tally of each stratum of a round within a transaction, by the stratum's number."""
    return _tallies(connection, live, lambda shard: shard // schema.SHARDS)


def _tallies(
    connection: Connection, live: LiveRound, group_of: Callable[[Any], ColumnElement[int]]
) -> dict[int, Tally]:
    """Add up the shards of each group that has some."""
    cells, tiers = schema.counts.c, schema.totals.c
    counts: dict[int, Counts] = defaultdict(lambda: np.zeros(live.coins.cells, np.int64))
    totals: dict[int, Counts] = defaultdict(lambda: np.zeros(len(live.survey.tiers), np.int64))
    for found, shard, place, amount in (
        (counts, cells.shard, cells.cell, cells.count),
        (totals, tiers.shard, tiers.tier, tiers.reports),
    ):
        group = group_of(shard).label("stratum")
        asked = select(group, place, func.sum(amount)).where(place.table.c.round == live.id)
        for number, where, added in connection.execute(asked.group_by(group, place)):
            found[number][where] = int(added)
    return {
        number: Tally.of(live.survey, live.round, counts[number], tuple(totals[number].tolist()))
        for number in sorted(counts.keys() | totals.keys())
    }


def close_expired(connection: Connection, survey: int, now: float) -> None:
    """Close a survey's rounds that are over, within a transaction."""
    rounds = schema.rounds.c
    connection.execute(
        update(schema.rounds)
        .where(rounds.survey == survey, rounds.closed.is_(None), rounds.closes <= now)
        .values(closed=rounds.closes)
    )
    drop_at_close(connection, survey, now)


def retired_labels(connection: Connection) -> dict[str, frozenset[str]]:
    """Read the labels of rounds that were deleted, by the name of their survey or training."""
    name = func.coalesce(schema.surveys.c.former_name, schema.surveys.c.name)
    rows = connection.execute(
        select(name, schema.rounds.c.label)
        .join(schema.rounds, schema.rounds.c.survey == schema.surveys.c.id)
        .where(schema.rounds.c.deleted.is_not(None))
    )
    labels: dict[str, set[str]] = {}
    for owner, label in rows:
        labels.setdefault(owner, set()).add(label)
    former = select(schema.surveys.c.former_name).where(schema.surveys.c.deleted.is_not(None))
    for owner in connection.execute(former).scalars():
        labels.setdefault(owner, set())
    return {owner: frozenset(some) for owner, some in labels.items()}
