"""`harmony simulate`: from people's values to reports, or straight to a tally."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ClippedWarning, DataError
from .loading import LOG, REPORTS, TALLY, check_out, load_survey
from .options import Json, Master, Seed, SurveyFile
from .terminal import note, plural, reporting, say, say_json

if TYPE_CHECKING:
    from ..rounds import Round
    from ..survey import Survey
    from .data_files import Part


@reporting
def simulate(
    survey: SurveyFile,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="Reports (.parquet, .csv, .ndjson, or a directory: a log), or counts (.tally)",
        ),
    ],
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DATA]",
            help="People's values, one row a device (.csv, .tsv, .parquet, .json, .ndjson); "
            "with --devices, invented ones if not given",
            show_default=False,
        ),
    ] = None,
    devices: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="So many devices, 1e9 for instance, which take the rows in turn.",
            show_default=False,
        ),
    ] = None,
    engine: Annotated[
        str, typer.Option(help="With --devices: local, or spark for a cluster.")
    ] = "local",
    master: Master = None,
    seed: Seed = None,
    round: Annotated[str, typer.Option(help="Label of the round.")] = "simulation",
    tier_column: Annotated[
        str, typer.Option(help="Column with the number of each row's tier, if there are tiers.")
    ] = "tier",
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse numbers outside their range: no clipping.")
    ] = False,
    json: Json = False,
) -> None:
    """Randomise a table of people's values into reports, as their devices would.

    The file is read in parts, so it may be larger than memory. With --devices the devices may
    be as many as you like: memory does not grow, and for a seed the result is always the same.

    [bold]Examples[/bold]
    \b
    harmony simulate phones.yaml people.csv -o reports.parquet
    harmony simulate phones.yaml people.parquet -o week46.tally --round 2026-W46
    harmony simulate phones.yaml people.csv -o test.tally --seed 7
    harmony simulate phones.yaml -o test.tally --devices 1e9 --seed 7
    """
    check_out(out, (*REPORTS, TALLY, LOG))
    opened = _round(round, seed)
    if devices is None and (table is None or engine != "local" or master is not None):
        raise DataError("give a file of people's values, or --devices to say how many to simulate")
    asked = load_survey(survey)
    options = {"seed": seed, "round": opened, "strict": strict, "progress": False}
    with _clipped_values() as clipped:
        if devices is not None:
            from .simulate_devices import simulate_devices

            where = (table, out, tier_column, engine, master)
            reports = simulate_devices(asked, devices, *where, options)
        elif out.suffix == TALLY:
            assert table is not None
            reports = _collect(asked, table, out, tier_column, options)
        else:
            assert table is not None
            reports = _randomize(asked, table, out, tier_column, options)
    for name, number in clipped.items():
        note(f"{name}: {number:,} values lay outside the attribute's range and were clipped to it")
    if json:
        summary = {"survey": asked.name, "round": opened.label, "seed": opened.seed.hex()}
        say_json(summary | {"reports": reports, "clipped": dict(clipped), "out": str(out)})
        return
    say(
        f"{plural(reports, 'report')} of {asked.name}, round {opened.label}, "
        f"epsilon {asked.epsilon:g} -> {out}"
    )


def _round(label: str, seed: int | None) -> Round:
    from ..rounds import Round

    return Round.open(label) if seed is None else Round(label, Round.simulated(seed).seed)


def _collect(
    survey: Survey, table: Path, out: Path, tier_column: str, options: dict[str, Any]
) -> int:
    from ..tally import Tally
    from .people_files import value_parts

    counted = Tally.empty(survey, options["round"])
    for part, tiers in value_parts(survey, table, tier_column):
        with _rows_of(table, part):
            counted += survey.collect(part.table, tiers=tiers, first=part.first, **options)
    counted.save(out)
    return counted.reports


def _randomize(
    survey: Survey, table: Path, out: Path, tier_column: str, options: dict[str, Any]
) -> int:
    from .people_files import value_parts
    from .report_files import writing_reports

    written = 0
    with writing_reports(out, survey, options["round"]) as writer:
        for part, tiers in value_parts(survey, table, tier_column):
            with _rows_of(table, part):
                reports = survey.randomize(part.table, tiers=tiers, first=part.first, **options)
            writer.write_table(reports)
            written += len(reports)
    return written


@contextmanager
def _rows_of(path: Path, part: Part) -> Iterator[None]:
    """Name the file in errors, and say where rows are counted from in a later part of it."""
    try:
        yield
    except DataError as problem:
        counted = f" (rows counted from row {part.first} of the file)" if part.first else ""
        raise DataError(f"{path}: {problem}{counted}") from None


@contextmanager
def _clipped_values() -> Iterator[Counter[str]]:
    """Yield a counter of the values clipped, by attribute, filled in at the end."""
    clipped: Counter[str] = Counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ClippedWarning)
        yield clipped
    for warning in caught:
        if isinstance(warning.message, ClippedWarning):
            clipped[warning.message.attribute] += warning.message.clipped
