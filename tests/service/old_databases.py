"""Databases as earlier versions of Harmony left them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text

import harmony as hm
from harmony.learn import Training
from harmony.rounds import Round
from harmony.service import migrations
from harmony.service.database import Database
from harmony.service.ingest.blocks import LiveRound, report_size
from harmony.service.training.storage import begun
from harmony.tally import Tally

from .conftest import SURVEY
from .devices import any_report

DELETED = b"a deleted device"
LISTED = b"one of the list."
TRAINING = Training(
    "charging", 1.0, "logistic", hm.Boolean("charging"), [hm.Numeric("battery", 0, 100)], 1000
)


@dataclass(frozen=True)
class OldDatabase:
    """What an old database holds: the devices of each round, and where their reports count."""

    devices: dict[str, list[bytes]]
    tallies: dict[str, Tally]


def write_old_database(place: str, version: str = "0003") -> OldDatabase:
    """Write a database of a version (0.1.0 had 0003): a closed and an open round, a step."""
    database = Database(place)
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    with database.engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, version)
        old = _Filled(connection, database.is_sqlite, with_trainings=version >= "0002")
        old.fill()
        if not database.is_sqlite:
            for table, column in (("surveys", "id"), ("rounds", "id"), ("forgotten", "number")):
                connection.execute(
                    text(
                        f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), "
                        f"(SELECT max({column}) FROM {table}))"
                    )
                )
    database.close()
    return OldDatabase(old.devices, old.tallies)


class _Filled:
    """Fills the tables by hand, with ids as they are: what that version's code would not do now."""

    def __init__(self, connection: Connection, is_sqlite: bool, with_trainings: bool) -> None:
        self._connection = connection
        self._is_sqlite = is_sqlite
        self._with_trainings = with_trainings
        self.devices: dict[str, list[bytes]] = {}
        self.tallies: dict[str, Tally] = {}

    def fill(self) -> None:
        self._survey(1, SURVEY.name, SURVEY.fingerprint, SURVEY.to_document())
        self._round(1, 1, "week1", closed=50.0)
        self._round(2, 1, "week2", closed=None)
        self._reports(LiveRound(1, SURVEY, Round("week1", bytes(16), 1), 0.0), 0, 5)
        self._reports(LiveRound(1, SURVEY, Round("week1", bytes(16), 1), 0.0), 5, 3)
        self._reports(LiveRound(2, SURVEY, Round("week2", bytes(16), 2), 0.0), 0, 4)
        self._run("INSERT INTO forgotten VALUES (1, :device)", device=DELETED)
        self._run(
            "INSERT INTO allowed (digest, device) VALUES (:digest, :device)",
            digest=bytes(32), device=LISTED,
        )  # fmt: skip
        self._run("INSERT INTO server_keys VALUES (1, :secret, 0, NULL)", secret=b"k" * 32)
        if self._with_trainings:
            self._training()

    def _training(self) -> None:
        state = begun(TRAINING)
        assert state.step is not None
        step = json.loads(state.step["document"])
        self._survey(2, TRAINING.name, "0" * 64, TRAINING.to_document())
        self._run(
            "INSERT INTO trainings VALUES (2, :trainer, 3600, 0, NULL, NULL, 0, 0)",
            trainer=state.trainer,
        )
        self._round(3, 2, "charging:1", closed=None)
        survey = hm.Survey.from_document(step["survey"])
        self._run(
            "INSERT INTO steps VALUES (3, 1, :wanted, 1e10, :size, :document)",
            wanted=state.step["wanted"], size=report_size(survey),
            document=state.step["document"],
        )  # fmt: skip
        self._reports(LiveRound(3, survey, Round("charging:1", bytes(16)), 0.0, training=2), 0, 6)

    def _survey(self, number: int, name: str, mark: str, document: object) -> None:
        self._run(
            "INSERT INTO surveys VALUES (:number, :name, :mark, :document, NULL, 0)",
            number=number, name=name, mark=mark, document=json.dumps(document),
        )  # fmt: skip

    def _round(self, number: int, survey: int, label: str, closed: float | None) -> None:
        self._run(
            "INSERT INTO rounds VALUES (:number, :survey, :label, :seed, 0, NULL, :closed)",
            number=number, survey=survey, label=label, seed=bytes(16), closed=closed,
        )  # fmt: skip

    def _reports(self, live: LiveRound, first: int, count: int) -> None:
        label = live.round.label
        ids = [f"{label:>12}{first + place:04}".encode()[-16:] for place in range(count)]
        packed = b"".join(any_report(live, device) for device in ids)
        training = {"training": live.training} if self._with_trainings else {}
        names = "".join(f", {name}" for name in training)
        values = "".join(f", :{name}" for name in training)
        if self._is_sqlite:
            self._run(
                f"INSERT INTO chunks (round, first, reports{names}) "
                f"VALUES (:round, :first, :reports{values})",
                round=live.id, first=first, reports=packed, **training,
            )  # fmt: skip
        else:
            for report in live.rows(packed):
                self._run(
                    f"INSERT INTO reports (round, device, body{names}) "
                    f"VALUES (:round, :device, :body{values})",
                    round=live.id, device=report[:16].tobytes(), body=report[16:].tobytes(),
                    **training,
                )  # fmt: skip
        self.devices.setdefault(label, []).extend(ids)
        self._count(live, packed)

    def _count(self, live: LiveRound, packed: bytes) -> None:
        label = live.round.label
        tally = self.tallies.get(label, Tally.empty(live.survey, live.round))
        counts = tally.counts.copy()
        for cell in live.locate(live.rows(packed)).reshape(-1).tolist():
            counts[cell] += 1
        reports = tally.reports + len(live.rows(packed))
        self.tallies[label] = Tally.of(live.survey, live.round, counts, (reports,))
        self._run("DELETE FROM counts WHERE round = :round", round=live.id)
        self._run("DELETE FROM totals WHERE round = :round", round=live.id)
        for cell in counts.nonzero()[0].tolist():
            self._run(
                "INSERT INTO counts VALUES (:round, 0, :cell, :count)",
                round=live.id, cell=cell, count=int(counts[cell]),
            )  # fmt: skip
        self._run(
            "INSERT INTO totals VALUES (:round, 0, 0, :reports)", round=live.id, reports=reports
        )

    def _run(self, statement: str, **values: object) -> None:
        self._connection.execute(text(statement), values)


def take_back_strata(connection: Connection) -> None:
    """Leave a database as version 0007 left it."""
    for table in ("strata", "stratum_key"):
        connection.execute(text(f"DROP TABLE {table}"))
    for table in ("tokens", "allowed"):
        connection.execute(text(f"ALTER TABLE {table} DROP COLUMN stratum"))
    connection.execute(text("UPDATE alembic_version SET version_num = '0007'"))
