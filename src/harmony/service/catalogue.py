"""The catalogue: surveys, trainings and rounds, in the database and, for speed, in memory.

Memory may lag behind what another server did, so a round that memory does not have is looked
up again before a report is refused, and the store checks once more that it is open when it
commits.  A round opens once and closes once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from typing import Any

import msgspec
import structlog
from sqlalchemy import Connection, func, select, update
from sqlalchemy.exc import IntegrityError

from harmony.rounds import Round
from harmony.survey import Survey
from harmony.tally import Tally

from . import schema
from .activity import CREATED, ROUND_CLOSED, ROUND_OPENED, SERVER, Actor, note
from .clock_jumps import CLOCKS_DIFFER
from .database import Database
from .entries import RoundEntry, StepEntry, SurveyEntry, TrainingEntry
from .ingest.blocks import LiveRound
from .problems import Problem, is_of_database
from .retention import drop_at_close
from .round_rows import (
    KEPT_ROUNDS,
    SIGNS_OF_CHANGE,
    close_expired,
    insert_round,
    live_round,
    read_tallies,
    read_tally,
    retired_labels,
    with_key,
)
from .schedule import LAST_MOMENT, LONGEST_ROUND, Period, period_at
from .strata import NO_STRATUM, read_key, read_names

log = structlog.get_logger(__name__)

RETIRED = (
    "'label' was a round that was deleted; devices that answered it will not answer it again: "
    "choose another"
)

__all__ = ["Catalogue", "RoundEntry", "SurveyEntry", "insert_round", "read_tally"]


class Catalogue:
    """The surveys, trainings and rounds, as of the last `reload`."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock
        self._lock = threading.Lock()
        self.surveys: dict[str, SurveyEntry] = {}
        self.trainings: dict[str, TrainingEntry] = {}
        self.rounds: dict[str, Mapping[str, RoundEntry]] = {}
        """The rounds of each, whether survey or training, by its name."""
        self.live: dict[tuple[str, str], LiveRound] = {}
        """The rounds that take reports, by survey and label: all that the ingest path asks."""
        self.retired: dict[str, frozenset[str]] = {}
        """The labels of deleted rounds, by the name that they were under."""
        self._stratum_key: bytes | None = None
        self._left_out: set[tuple[str, int]] = set()
        self._seen: tuple[Any, ...] = ()
        self._looking = threading.Lock()
        self._looks = 0

    def reload(self) -> None:
        """Read surveys, trainings and rounds; what is known already is kept."""
        with self._lock:
            with self._database.read() as connection:
                if self._stratum_key is None:  # it never changes
                    self._stratum_key = read_key(connection)
                trained = {row.survey: row for row in connection.execute(select(schema.trainings))}
                survey_rows = connection.execute(
                    select(schema.surveys).where(schema.surveys.c.deleted.is_(None))
                ).all()
                round_rows = connection.execute(KEPT_ROUNDS).all()
                retired = retired_labels(connection)
                step_rows = self._unknown_steps(connection) if trained else {}
            surveys: dict[int, SurveyEntry] = {}
            trainings: dict[int, TrainingEntry] = {}
            for row in survey_rows:
                with self._leaving_out("survey", row.id):
                    if row.id in trained:
                        trainings[row.id] = TrainingEntry.of(row, trained[row.id])
                    else:
                        labels = retired.get(row.name, frozenset())
                        surveys[row.id] = self._survey_entry(row, labels)
            for row in round_rows:
                with self._leaving_out("round", row.id):
                    if row.survey in surveys:
                        of = surveys[row.survey]
                        of.rounds[row.label] = self._round_entry(of, row)
                    elif row.survey in trainings:
                        steps = trainings[row.survey]
                        steps.rounds[row.label] = self._step_entry(steps, row, step_rows)
            self.retired = retired
            self.surveys = {one.survey.name: one for one in surveys.values()}
            self.trainings = {one.name: one for one in trainings.values()}
            self.rounds = {name: one.rounds for name, one in self.surveys.items()}
            self.rounds |= {name: one.rounds for name, one in self.trainings.items()}
            self.live = {
                (name, label): one.live
                for name, rounds in self.rounds.items()
                for label, one in rounds.items()
                if one.closed is None
            }

    def refresh(self) -> None:
        """Read again if another server has added or deleted a survey, opened or closed a round.

        Who asks at about the same time shares a look, so that names that are made up cost little.
        """
        asked = self._looks
        with self._looking:
            if self._looks == asked:  # nobody has begun to look since
                self._looks += 1
                self._look()

    def _look(self) -> None:
        with self._database.read() as connection:
            there = tuple(connection.execute(SIGNS_OF_CHANGE).one())
        if there != self._seen:
            self.reload()
            self._seen = there

    @contextmanager
    def _leaving_out(self, kind: str, number: int) -> Iterator[None]:
        """Leave out a row that cannot be used, for the sake of others; log it the first time."""
        try:
            yield
        except Exception as problem:
            if is_of_database(problem):
                raise
            if (kind, number) not in self._left_out:
                self._left_out.add((kind, number))
                log.error("a row cannot be used", table=f"{kind}s", id=number, exc_info=problem)

    def rounds_since(self, enrolled: float) -> list[LiveRound]:
        """Return the rounds, of surveys and trainings, in which one enrolled then may report.

        Who has enrolled in the future did so by a wrong clock, and may be in any of them.
        """
        is_known = enrolled <= self._clock() + CLOCKS_DIFFER
        since = enrolled - CLOCKS_DIFFER if is_known else 0.0
        return [
            one.live
            for rounds in self.rounds.values()
            for one in rounds.values()
            if one.dropped is None and (one.closed is None or one.closed >= since)
        ]

    def _unknown_steps(self, connection: Connection) -> dict[int, Any]:
        """Read the steps that memory does not have: their documents are large."""
        known = {step.live.id for one in self.trainings.values() for step in one.rounds.values()}
        stored = set(connection.execute(select(schema.steps.c.round)).scalars())
        rows = connection.execute(
            select(schema.steps).where(schema.steps.c.round.in_(stored - known))
        )
        return {row.round: row for row in rows}

    def _survey_entry(self, row: Any, retired: frozenset[str]) -> SurveyEntry:
        known = self.surveys.get(row.name)
        if known is not None and known.id == row.id:
            survey, document = known.survey, known.document
        else:
            document = row.document.encode()
            survey = Survey.from_document(msgspec.json.decode(document))
            if sha256(document).hexdigest() != row.fingerprint:  # stored before protocol 1
                document = survey.document_bytes
        return SurveyEntry(
            row.id, survey, document, row.schedule, row.created, row.retention, row.public,
            retired, {},
        )  # fmt: skip

    def _round_entry(self, entry: SurveyEntry, row: Any) -> RoundEntry:
        known = self.surveys.get(entry.survey.name)
        same = known.rounds.get(row.label) if known else None
        if same is not None and same.live.id == row.id:
            live = with_key(same.live, row)
        else:
            live = live_round(row, entry.survey, None, self._stratum_key)
        closes = None if row.closes is None else min(row.closes, LAST_MOMENT)
        return RoundEntry(live, row.opened, closes, row.closed, row.retention, row.dropped)

    def _step_entry(
        self, training: TrainingEntry, row: Any, step_rows: Mapping[int, Any]
    ) -> StepEntry:
        known = self.trainings.get(training.name)
        same = known.rounds.get(row.label) if known else None
        if same is not None and same.live.id == row.id:
            return replace(
                same, live=with_key(same.live, row), closed=row.closed, retention=row.retention,
                dropped=row.dropped,
            )  # fmt: skip
        document = msgspec.json.decode(step_rows[row.id].document)
        survey = Survey.from_document(document["survey"])
        live = live_round(row, survey, training.id, self._stratum_key)
        return StepEntry.of(live, row, step_rows[row.id], document)

    def survey(self, name: str) -> SurveyEntry:
        """Return a survey, or raise the problem that there is none."""
        if name not in self.surveys:
            self.refresh()
        if name not in self.surveys:
            raise Problem("unknown-survey", "there is no survey of this name")
        return self.surveys[name]

    def anything(self, name: str) -> SurveyEntry | TrainingEntry:
        """Return the survey or the training of this name, or raise the problem of none."""
        return self.trainings[name] if name in self.trainings else self.survey(name)

    def round(self, name: str, label: str | None = None) -> RoundEntry:
        """Return a round of a survey or a training: by its label, or the latest."""
        rounds = self.rounds.get(name)
        if rounds is None or (label is not None and label not in rounds):
            self.refresh()
            rounds = self.rounds.get(name)
        if rounds is None:
            raise Problem("unknown-survey", "there is no survey of this name")
        if label is None and rounds:
            return list(rounds.values())[-1]
        if label is None or label not in rounds:
            raise Problem("unknown-round", "the survey has no round of this label")
        return rounds[label]

    def add(
        self,
        survey: Survey,
        schedule: str | None,
        *,
        retention: int = schema.RETENTION_DAYS,
        public: bool = False,
        by: Actor = SERVER,
    ) -> SurveyEntry:
        """Store a survey; the same one again is no change, another of its name is refused."""
        settled = {"schedule": schedule, "retention": retention, "public": public}
        now = self._clock()
        try:
            with self._database.write() as connection:
                connection.execute(
                    schema.surveys.insert().values(
                        name=survey.name,
                        fingerprint=survey.fingerprint,
                        document=survey.document_bytes.decode(),
                        created=now,
                        **settled,
                    )
                )
                told = settled | {"fingerprint": survey.fingerprint}
                note(connection, by, now, CREATED.format(kind="survey"), survey.name, **told)
        except IntegrityError:
            self.reload()
            known = self.surveys.get(survey.name)
            if known is None or known.survey != survey:
                raise Problem(
                    "conflict",
                    "'name': something else has this name; surveys never change",
                ) from None
        self.reload()
        return self.survey(survey.name)

    def open(
        self,
        name: str,
        label: str,
        closes: float | None = None,
        seed: bytes | None = None,
        number: int | None = None,
        *,
        by: Actor = SERVER,
    ) -> RoundEntry:
        """Open a round; a survey has one open at a time.

        Its seed is fresh, and its number the next, if they are not given.
        """
        survey, now = self.survey(name), self._clock()
        opened = Round.open(label, number) if seed is None else Round(label, seed, number)
        last = max((one.live.round.number or 0 for one in survey.rounds.values()), default=0)
        if number is not None and number <= last:
            raise Problem(
                "conflict", f"'number' must be more than {last}, that of an earlier round"
            )
        if closes is not None and closes <= now:
            raise Problem("malformed", "'closes' must lie in the future")
        if closes is not None and not closes <= now + LONGEST_ROUND:
            raise Problem("malformed", "'closes' must lie within ten years from now")
        try:
            with self._database.write() as connection:
                if label in retired_labels(connection).get(name, ()):
                    raise Problem("conflict", RETIRED)
                close_expired(connection, survey.id, now)
                insert_round(connection, survey.id, opened, closes, now)
                note(connection, by, now, ROUND_OPENED, f"{name} {label}")
        except IntegrityError:
            raise Problem(
                "conflict",
                "'label' or 'number' was used before, or another round of the survey is open",
            ) from None
        self.reload()
        return self.round(name, label)

    def close(self, name: str, label: str, *, by: Actor = SERVER) -> RoundEntry:
        """Close a survey's round: once this returns, its tally no longer changes."""
        survey, now = self.survey(name), self._clock()
        entry = self.round(name, label)
        rounds = schema.rounds.c
        closing = update(schema.rounds).where(rounds.id == entry.live.id, rounds.closed.is_(None))
        with self._database.write(alone=True) as connection:
            if connection.execute(closing.values(closed=now)).rowcount:
                note(connection, by, now, ROUND_CLOSED, f"{name} {label}")
            drop_at_close(connection, survey.id, now)
        self.reload()
        return self.round(name, label)

    def follow_schedules(self) -> list[str]:
        """Close the rounds that are over and open those that are due; return those opened."""
        now, opened = self._clock(), list[str]()
        for survey in list(self.surveys.values()):
            with self._leaving_out("schedule", survey.id):
                self._close_over(survey, now)
                opened += self._open_due(survey, now)
        return opened

    def _close_over(self, survey: SurveyEntry, now: float) -> None:
        """Close a survey's rounds that are over."""
        ends = [one.closes for one in survey.rounds.values() if one.closed is None]
        if any(end is not None and end <= now for end in ends):
            with self._database.write(alone=True) as connection:
                close_expired(connection, survey.id, now)
            self.reload()

    def _open_due(self, survey: SurveyEntry, now: float) -> list[str]:
        """Open the round that a survey's schedule asks for now, if any; return what it is."""
        due = self._due(survey, now)
        if due is None:
            return []
        try:
            with self._database.write() as connection:
                insert_round(connection, survey.id, Round.open(due.label), due.end, now)
        except IntegrityError:  # another server was first, or a person opened a round by hand
            due = None
        self.reload()
        return [] if due is None else [f"{survey.survey.name} {due.label}"]

    def _due(self, survey: SurveyEntry, now: float) -> Period | None:
        if survey.schedule is None or survey.open_round(now) is not None:
            return None
        period = period_at(survey.schedule, now)
        return None if period.label in survey.rounds.keys() | survey.retired else period

    def reports(self) -> dict[int, int]:
        """Count the reports of every round that has some, by its id."""
        totals = schema.totals.c
        counted = select(totals.round, func.sum(totals.reports)).group_by(totals.round)
        with self._database.read() as connection:
            return {row[0]: int(row[1]) for row in connection.execute(counted)}

    def tally(self, entry: RoundEntry) -> Tally:
        """Read a round's tally: the sum of its shards, at one moment."""
        with self._database.read() as connection:
            return read_tally(connection, entry.live)

    def tallies(self, entry: RoundEntry) -> dict[str, Tally]:
        """Read the tally of each stratum in a round, at one moment, by the stratum's name.

        Devices without a stratum are under "".
        """
        nobody = Tally.empty(entry.live.survey, entry.live.round)
        with self._database.read() as connection:
            names = {NO_STRATUM: ""} | read_names(connection)
            counted = read_tallies(connection, entry.live)
        return {name: counted.get(number, nobody) for number, name in names.items()}
