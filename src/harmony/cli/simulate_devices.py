"""`harmony simulate --devices`: more devices than rows, here or on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DataError
from .loading import TALLY
from .terminal import busy, meter

if TYPE_CHECKING:
    import pyarrow as pa

    from ..survey import Survey

ENGINES = ("local", "spark")


def simulate_devices(
    survey: Survey,
    devices: str,
    table: Path | None,
    out: Path,
    tier_column: str,
    engine: str,
    master: str | None,
    options: dict[str, Any],
) -> int:
    """Simulate so many devices into a tally, reports or a log; return how many there were."""
    from ..engines.simulation import Simulation, invent

    number = read_number(devices)
    if engine not in ENGINES:
        raise DataError(f"--engine must be one of {', '.join(ENGINES)}")
    if engine == "spark" and out.suffix != TALLY:
        raise DataError("--engine spark counts: name a .tally, or leave it out to write reports")
    if engine != "spark" and master is not None:
        raise DataError("--master is for --engine spark")
    people, tiers = invent(survey, options["seed"])
    if table is not None:
        people, tiers = _read_whole(survey, table, tier_column)
    given = {name: options[name] for name in ("seed", "round", "strict")}
    simulation = Simulation(survey, people, number, tiers=tiers, **given)
    if engine == "spark":
        with busy("Simulating on the cluster"):
            simulation.tally_on_spark(master).save(out)
    elif out.suffix == TALLY:
        simulation.tally().save(out)
    else:
        _write(simulation, survey, out, options["round"], number)
    return number


def read_number(text: str) -> int:
    """Read a whole number, also in the short form.

    >>> read_number("1e9"), read_number("250000")
    (1000000000, 250000)
    """
    try:
        number = float(text)
        if number != int(number):
            raise ValueError
    except (ValueError, OverflowError):
        raise DataError("--devices must be a whole number, such as 250000 or 1e9") from None
    return int(number)


def _read_whole(survey: Survey, path: Path, tier_column: str) -> tuple[pa.Table, Any]:
    import numpy as np
    import pyarrow as pa

    from .people_files import value_parts

    parts = list(value_parts(survey, path, tier_column))
    tiers = [chosen for _, chosen in parts]
    table = pa.concat_tables([part.table for part, _ in parts]).unify_dictionaries()
    return table, None if tiers[0] is None else np.concatenate(tiers)


def _write(simulation: Any, survey: Survey, out: Path, round: Any, devices: int) -> None:
    from .report_files import writing_reports

    written = 0
    with writing_reports(out, survey, round) as writer, meter("Randomising") as show:
        for reports in simulation.reports(progress=False):
            writer.write_table(reports)
            written += len(reports)
            show(written / devices)
