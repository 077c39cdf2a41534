"""`harmony simulate` and `harmony tally`: from people's values to reports to a tally."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ClippedWarning, DataError, SurveyError
from .loading import LOG, REPORTS, TALLY, check_out, count_log, is_log, load_survey, load_tally
from .options import Json, Master, Seed, SurveyFile
from .terminal import meter, note, plural, reporting, say, say_json

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


@reporting
def tally(
    survey: SurveyFile,
    reports: Annotated[
        list[Path],
        typer.Argument(
            metavar="REPORTS",
            help="Files of reports or tallies of one round, or a log (a directory)",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write the tally (.tally)")],
    round: Annotated[
        str | None,
        typer.Option(
            help="Label of the round: which one of a log, or of files that do not say it."
        ),
    ] = None,
    round_seed: Annotated[
        str | None, typer.Option(help="Seed of that round: 32 hexadecimal digits.")
    ] = None,
    engine: Annotated[
        str, typer.Option(help="What counts a log: arrow, duckdb or spark.")
    ] = "arrow",
    master: Master = None,
    trusted: Annotated[
        bool,
        typer.Option("--trusted", help="The log's store saw to it that each device is in it once."),
    ] = False,
    json: Json = False,
) -> None:
    """Count reports into one small tally, which is all that the analysis needs.

    Files of reports and tallies of the same round add up. A device that reports twice is
    refused, except between tallies, which no longer know their devices. In a log its first
    report counts, and the others are left out.

    [bold]Examples[/bold]
    \b
    harmony tally phones.yaml reports.parquet -o week46.tally
    harmony tally phones.yaml north.parquet south.tally -o all.tally
    harmony tally phones.yaml logs --round 2026-W46 -o week46.tally
    harmony tally phones.yaml logs -o week46.tally --engine spark --master spark://host:7077
    """
    check_out(out, (TALLY,))
    left_out = 0
    if any(is_log(path) for path in reports):
        asked = load_survey(survey)
        counted, left_out = count_log(asked, reports, round, engine, trusted, master)
    else:
        if engine != "arrow" or trusted or master is not None:
            raise DataError("--engine, --trusted and --master are for a log, a directory")
        stated = _stated_round(round, round_seed)
        asked = load_survey(survey)
        counted = load_tally(asked, reports, stated)
    counted.save(out)
    if left_out:
        note(f"{plural(left_out, 'report')} of devices that had reported before were left out")
    if json:
        say_json(
            {
                "survey": counted.survey,
                "fingerprint": counted.fingerprint,
                "round": counted.round.label,
                "seed": counted.round.seed.hex(),
                "reports": counted.reports,
                "duplicates": left_out,
                "tier_reports": list(counted.tier_reports),
                "out": str(out),
            }
        )
        return
    reported = plural(counted.reports, "report")
    say(f"{reported} of {counted.survey}, round {counted.round.label} -> {out}")


def _round(label: str, seed: int | None) -> Round:
    from ..rounds import Round

    return Round.open(label) if seed is None else Round(label, Round.simulated(seed).seed)


def _stated_round(label: str | None, seed: str | None) -> Round | None:
    from ..rounds import Round

    if label is None and seed is None:
        return None
    if label is None or seed is None:
        raise SurveyError("give --round and --round-seed together")
    try:
        return Round(label, bytes.fromhex(seed))
    except ValueError as problem:
        if isinstance(problem, SurveyError):
            raise
        raise SurveyError("--round-seed must be 32 hexadecimal digits") from None


def _collect(
    survey: Survey, table: Path, out: Path, tier_column: str, options: dict[str, Any]
) -> int:
    from ..tally import Tally

    counted = Tally.empty(survey, options["round"])
    for part, tiers in value_parts(survey, table, tier_column):
        with _rows_of(table, part):
            counted += survey.collect(part.table, tiers=tiers, first=part.first, **options)
    counted.save(out)
    return counted.reports


def _randomize(
    survey: Survey, table: Path, out: Path, tier_column: str, options: dict[str, Any]
) -> int:
    from .report_files import writing_reports

    written = 0
    with writing_reports(out, survey, options["round"]) as writer:
        for part, tiers in value_parts(survey, table, tier_column):
            with _rows_of(table, part):
                reports = survey.randomize(part.table, tiers=tiers, first=part.first, **options)
            writer.write_table(reports)
            written += len(reports)
    return written


def value_parts(survey: Survey, path: Path, tier_column: str) -> Iterator[tuple[Part, Any]]:
    """Read the values a part at a time, with each row's tier where the survey has several."""
    import pyarrow as pa

    from .data_files import category_words, read_parts, value_columns

    columns = value_columns(survey.attributes)
    tiered = len(survey.tiers) > 1
    if tiered and tier_column in columns:
        raise DataError(f"{tier_column!r} is an attribute; name another --tier-column")
    if tiered:
        columns[tier_column] = pa.int64()
    optional = [one.name for one in survey.attributes if one.missing is not None]
    words = category_words(survey.attributes)
    with meter("Randomising") as show:
        for part in read_parts(path, columns, optional=optional, words=words):
            yield part, _tiers(part, tier_column) if tiered else None
            show(part.share)


def _tiers(part: Part, column: str) -> Any:
    tiers = part.table[column]
    if tiers.null_count:
        raise DataError(f"column {column!r}: a row has no tier; every row needs its number")
    return tiers.to_numpy()


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
