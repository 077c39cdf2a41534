"""Simulating more devices than there are rows: in bounded memory here, or across a cluster.

Device i has row i modulo the number of rows, the coin of its number and block i of the
keystream, so for a seed the tally is the same however the devices are divided.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa

from ..arrays import Counts
from ..attributes import Numeric
from ..bulk.collect import CHUNK, Randomizer, collect, report_batches
from ..errors import DataError
from ..rounds import Round, derive
from ..survey import Survey
from ..tally import Tally

MOST_DEVICES = 10**12
INVENTED_ROWS = 1 << 16
TASKS_A_CORE = 4

CELL, ANSWERS = "cell", "answers"


class Simulation:
    """So many devices with the values of a table, whose rows they take in turn.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0)
    >>> people = pa.table({"wifi": [True, True, False]})
    >>> Simulation(survey, people, 1_000_000, seed=7).tally()
    <Tally of 'phones', round simulation: 1,000,000 reports>
    """

    def __init__(
        self,
        survey: Survey,
        table: pa.Table,
        devices: int,
        *,
        seed: int | None = None,
        round: Round | None = None,
        tiers: Any = None,
        strict: bool = False,
        as_devices: bool = False,
    ) -> None:
        if type(devices) is not int or not 0 < devices <= MOST_DEVICES:
            raise DataError(f"'devices' must be an integer from 1 to {MOST_DEVICES:,}")
        if not len(table):
            raise DataError("the table has no rows; one row is one person")
        times = max(1, min(-(-CHUNK // len(table)), -(-devices // len(table))))
        if seed is None and round is None:
            round = Round.open("simulation")
        self._survey = survey
        self._given: dict[str, Any] = {
            "table": pa.concat_tables([_narrowed(table)] * times).combine_chunks(),
            "tiers": None if tiers is None else np.tile(tiers, times),
            "devices": devices,
            "seed": seed,
            "round": round,
            "strict": strict,
            "as_devices": as_devices,
        }

    @property
    def _randomizer(self) -> Randomizer:
        return Randomizer(self._survey, **self._given)

    def tally(self, *, threads: int | None = None, progress: bool | None = None) -> Tally:
        """Randomise and count every device on this machine."""
        return collect(self._randomizer, progress, threads)

    def reports(self, *, progress: bool | None = None) -> Iterator[pa.Table]:
        """Yield every device's report, a chunk at a time."""
        for batch in report_batches(self._randomizer, progress):
            yield pa.Table.from_batches([batch])

    def tally_on_spark(self, master: str | None = None, tasks: int | None = None) -> Tally:
        """Randomise and count every device on a cluster, whose workers need `harmony-ldp`."""
        from .spark import spark_session

        document, given, devices = self._survey.to_document(), self._given, self._given["devices"]
        with spark_session(master) as session:
            parallel = session.sparkContext.defaultParallelism
            number = tasks or min(TASKS_A_CORE * parallel, -(-devices // CHUNK))

            def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
                """Count the devices of each task: cells, and clipped values as -1 - column."""
                randomizer = Randomizer(Survey.from_document(document), **given)
                for batch in batches:
                    for task in batch.column(0).to_pylist():
                        start, stop = (devices * edge // number for edge in (task, task + 1))
                        counts, clipped = randomizer.count(randomizer.chunks(start, stop))
                        yield _sparse(counts, clipped)

            spread = session.range(0, number, 1, number)
            parts = spread.mapInArrow(count, f"{CELL} bigint, {ANSWERS} bigint")
            parts.createOrReplaceTempView("harmony_parts")
            total = session.sql(f"SELECT {CELL}, sum({ANSWERS}) FROM harmony_parts GROUP BY {CELL}")
            cells, answered = (column.to_numpy() for column in total.toArrow().columns)
        randomizer = self._randomizer
        counts = np.zeros_like(Tally.empty(self._survey, Round("any", bytes(16))).counts)
        clipped = np.zeros(len(randomizer.columns), np.int64)
        counts[cells[cells >= 0]] = answered[cells >= 0]
        clipped[-1 - cells[cells < 0]] = answered[cells < 0]
        return randomizer.tally(counts, clipped)


def invent(survey: Survey, seed: int | None) -> tuple[pa.Table, Any]:
    """Make up people for a survey, and their tiers: numbers lean low, earlier values are common.

    >>> import harmony as hm
    >>> invent(hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0), seed=7)[0].num_rows
    65536
    """
    rng = np.random.default_rng(list(derive(seed or 0, "people")))
    columns: dict[str, Any] = {}
    for part in survey.readings:
        if part.source in columns:
            continue
        if isinstance(part, Numeric):
            span = part.high - part.low
            columns[part.source] = part.low + span * rng.beta(2, 5, INVENTED_ROWS)
        else:
            shares = 1 / np.arange(1, len(part.values) + 1)
            drawn = rng.choice(len(shares), INVENTED_ROWS, p=shares / shares.sum())
            columns[part.source] = pa.array(part.values).take(pa.array(drawn))
    tiers = rng.integers(0, len(survey.tiers), INVENTED_ROWS) if len(survey.tiers) > 1 else None
    return pa.table(columns), tiers


def _narrowed(table: pa.Table) -> pa.Table:
    """Store integers in as few bytes as they need: every pass over the rows reads them again."""
    for place, field in enumerate(table.schema):
        if field.type == pa.int64():
            for kind in (pa.int8(), pa.int16(), pa.int32()):
                with suppress(pa.ArrowInvalid):
                    table = table.set_column(place, field.name, table[place].cast(kind))
                    break
    return table


def _sparse(counts: Counts, clipped: Counts) -> pa.RecordBatch:
    cells, columns = np.flatnonzero(counts), np.flatnonzero(clipped)
    keys = np.concatenate([cells, -1 - columns])
    values = np.concatenate([counts[cells], clipped[columns]])
    return pa.record_batch([pa.array(keys), pa.array(values)], [CELL, ANSWERS])
