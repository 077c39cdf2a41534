"""`harmony tally`: from reports, tallies or a log to one tally."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import DataError, SurveyError
from .loading import TALLY, check_out, count_log, is_log, load_survey, load_tally
from .options import Json, Master, SurveyFile
from .terminal import note, plural, reporting, say, say_json

if TYPE_CHECKING:
    from ..rounds import Round


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
