"""Engines: tallies of report logs, here or on a cluster, the same integer for integer."""

from __future__ import annotations

from pathlib import Path

from ..errors import HarmonyError
from ..survey import Survey
from .counted import Counted
from .log import open_log
from .writing import LogWriter

__all__ = ["ENGINES", "Counted", "LogWriter", "tally_log"]

ENGINES = ("arrow", "duckdb", "spark")


def tally_log(
    survey: Survey,
    root: str | Path,
    label: str | None = None,
    *,
    engine: str = "arrow",
    trusted: bool = False,
    master: str | None = None,
) -> Counted:
    """Count the reports of a round in a log.

    Each device counts once: its first report stays, later ones are only numbered.  `trusted`
    skips that, for logs whose store has seen to it.  `master` is the address of a Spark cluster.

    >>> import tempfile, harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0)
    >>> reports = survey.randomize({"wifi": [True, False, True]}, seed=7)
    >>> with tempfile.TemporaryDirectory() as root:
    ...     for _ in range(2):  # the same reports twice
    ...         with LogWriter(root, survey, hm.Round.simulated(7)) as log:
    ...             log.write_table(reports)
    ...     tally_log(survey, root)
    Counted(tally=<Tally of 'phones', round simulation: 3 reports>, duplicates=3)
    """
    if engine not in ENGINES:
        raise HarmonyError(f"'engine' must be one of {', '.join(ENGINES)}")
    if master is not None and engine != "spark":
        raise HarmonyError("'master' is for the spark engine")
    log = open_log(survey, root, label)
    if engine == "arrow":
        from . import arrow

        return arrow.tally(log, trusted=trusted)
    if engine == "duckdb":
        from . import duck

        return duck.tally(log, trusted=trusted)
    from . import spark

    return spark.tally(log, trusted=trusted, master=master)
