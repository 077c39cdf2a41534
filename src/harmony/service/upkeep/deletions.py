"""Deletions outside the database: a list to keep, so that no restored backup brings them back.

The list has the marks of devices, which tell nobody's id, and the names of deleted surveys and
rounds.  Applied to a restored database it takes out what was deleted since the copy was made.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import select

from harmony.service import schema
from harmony.service.activity import DELETIONS_APPLIED, Actor, note
from harmony.service.catalogue import Catalogue
from harmony.service.database import Database, DatabaseError
from harmony.service.governance import Governance
from harmony.service.ingest.blocks import id_bytes
from harmony.service.sealing import marks_of
from harmony.service.stores import open_store

from .recount import cut, stored_reports

FORMAT = "harmony-deletions/1"


@dataclass(frozen=True)
class Applied:
    """What was deleted again."""

    devices: int
    reports: int
    rounds: int
    surveys: int


def save(database: Database, target: Path) -> dict[str, int]:
    """Write the list to a file, in the place of an older one; return how much is on it."""
    surveys, rounds = schema.surveys.c, schema.rounds.c
    name = select(surveys.id, surveys.name, surveys.former_name, surveys.created).subquery()
    with database.read() as connection:
        marks = connection.execute(select(schema.forgotten.c.mark)).scalars().all()
        gone = connection.execute(
            select(surveys.former_name, surveys.created).where(surveys.deleted.is_not(None))
        ).all()
        labels = connection.execute(
            select(name.c.name, name.c.former_name, name.c.created, rounds.label)
            .join(name, name.c.id == rounds.survey)
            .where(rounds.deleted.is_not(None))
        ).all()
    document = {
        "format": FORMAT,
        "devices": sorted(bytes(mark).hex() for mark in marks),
        "surveys": [{"name": row.former_name, "created": row.created} for row in gone],
        "rounds": [
            {"survey": row.former_name or row.name, "created": row.created, "label": row.label}
            for row in labels
        ],
    }
    _replace(target, msgspec.json.encode(document))
    return {key: len(value) for key, value in document.items() if isinstance(value, list)}


def apply(database: Database, source: Path, clock: Callable[[], float], by: Actor) -> Applied:
    """Delete from a database what a list says was deleted."""
    wanted = _read(source)
    catalogue = Catalogue(database, clock)
    catalogue.reload()
    governance = Governance(database, catalogue, clock)
    surveys = rounds = 0
    created: dict[str, Any] = {one.survey.name: one.created for one in catalogue.surveys.values()}
    created |= {one.name: one.created for one in catalogue.trainings.values()}
    for one in wanted["surveys"]:
        if created.get(one["name"]) == one["created"]:
            governance.delete(one["name"], one["name"], by)
            surveys += 1
    for one in wanted["rounds"]:
        entry = catalogue.surveys.get(one["survey"])
        if entry is not None and entry.created == one["created"] and one["label"] in entry.rounds:
            governance.delete_round(one["survey"], one["label"], one["label"], by)
            rounds += 1
    devices, reports = _delete_devices(database, catalogue, frozenset(wanted["devices"]))
    with database.write() as connection:
        told = {"devices": devices, "reports": reports, "rounds": rounds, "surveys": surveys}
        note(connection, by, clock(), DELETIONS_APPLIED, source.name, **told)
    return Applied(**told)


def _delete_devices(
    database: Database, catalogue: Catalogue, marks: frozenset[bytes]
) -> tuple[int, int]:
    """Take the reports of these devices out, and refuse them; return how many were new to it."""
    kept = [
        one.live
        for rounds in catalogue.rounds.values()
        for one in rounds.values()
        if one.live.key is not None
    ]
    found: set[bytes] = set()
    with database.read() as connection:
        stored = connection.execute(select(schema.forgotten.c.mark)).scalars()
        new = marks - {bytes(mark) for mark in stored}
        for live in kept:
            for rows in stored_reports(connection, live):
                ids = id_bytes(rows)
                found |= {
                    one for one, mark in zip(cut(ids), cut(marks_of(ids)), strict=True)
                    if mark in marks
                }  # fmt: skip
    store = open_store(database)
    try:
        reports = sum(store.forget(device, kept) for device in sorted(found))
        store.erase()
    finally:
        store.close()
    missing = new - {marks_of(device) for device in found}
    if missing:
        with database.write() as connection:
            known = [{"mark": mark} for mark in sorted(missing)]
            connection.execute(schema.forgotten.insert(), known)
    return len(new), reports


def _read(source: Path) -> dict[str, Any]:
    try:
        document = msgspec.json.decode(source.read_bytes())
        if document["format"] != FORMAT:
            raise ValueError
        document["devices"] = [bytes.fromhex(one) for one in document["devices"]]
        for one in document["surveys"]:
            one["name"], one["created"]
        for one in document["rounds"]:
            one["survey"], one["created"], one["label"]
    except (msgspec.MsgspecError, ValueError, KeyError, TypeError):
        raise DatabaseError(f"{source}: is not a list of deletions") from None
    return dict(document)


def _replace(target: Path, content: bytes) -> None:
    """Write a file that appears whole, or not at all."""
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
