"""The tally as one relational expression (Ibis), the same for DuckDB, Spark and warehouses.

A log's rows name their cells, so counting is a group-by and nothing of ours runs inside the
engine.  It compiles for BigQuery, Snowflake, Trino and whatever else Ibis speaks; only the
counts by cell come back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tally import Tally
from .counted import Counted, counted
from .log import HIGH, LOW, NUMBER, Log

CELL, ANSWERS = "cell", "answers"


def cells_by_count(reports: Any, names: list[str], *, trusted: bool) -> Any:
    """Return the Ibis table (cell, answers) of a log's Ibis table `reports`.

    `names` are its columns of cells.  Unless trusted, each device's first report alone counts:
    the earliest day, then the lowest number, then the lowest cells.
    """
    import ibis

    if not trusted:
        order = [reports[name] for name in ("day", NUMBER, *names)]
        device = ibis.window(group_by=[reports[LOW], reports[HIGH]], order_by=order)
        ranked = reports.mutate(place=ibis.row_number().over(device))
        reports = ranked.filter(ranked.place == 0)
    parts = [reports.select(reports[name].name(CELL)) for name in names]
    cells = parts[0] if len(parts) == 1 else ibis.union(*parts)
    return cells.group_by(CELL).aggregate(cells.count().name(ANSWERS))


def counted_by(log: Log, expression: Any) -> Counted:
    """Run the expression and make the tally of what comes back."""
    result = expression.to_pyarrow()
    cells, answers = (result[name].to_numpy() for name in (CELL, ANSWERS))
    counts = np.zeros_like(Tally.empty(log.survey, log.round).counts)
    known = (cells >= 0) & (cells < len(counts))
    counts[cells[known]] = answers[known]
    return counted(log, counts, int(answers[~known].sum()))
