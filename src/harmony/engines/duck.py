"""The DuckDB engine: the relational expression on this machine, spilling to disk when needed."""

from __future__ import annotations

from ..errors import HarmonyError
from ..reports import cell_columns
from .counted import Counted
from .log import Log
from .relational import cells_by_count, counted_by


def tally(log: Log, *, trusted: bool = False) -> Counted:
    """Count a log on this machine with DuckDB."""
    try:
        import duckdb  # noqa: F401  # ibis would name itself as missing
        import ibis
    except ModuleNotFoundError as missing:
        raise HarmonyError(
            f"the DuckDB engine needs {missing.name}: pip install 'harmony-ldp[engines]'"
        ) from None
    if not log.local:
        raise HarmonyError("the DuckDB engine reads logs on this machine; use --engine spark")
    connection = ibis.duckdb.connect()
    try:
        reports = connection.read_parquet([file.path for file in log.files], hive_partitioning=True)
        names = cell_columns(log.survey)
        return counted_by(log, cells_by_count(reports, names, trusted=trusted))
    finally:
        connection.disconnect()
