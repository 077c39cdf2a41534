"""`harmony export`: put reports into a log, where any engine can count them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from .loading import LOG, check_out, load_survey
from .options import Json, SurveyFile
from .terminal import plural, reporting, say, say_json


@reporting
def export(
    survey: SurveyFile,
    reports: Annotated[
        list[Path],
        typer.Argument(metavar="REPORTS", help="Files of reports of one round, in their order"),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The log: a directory")],
    day: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"], help="Day they arrived (today, UTC).", show_default=False
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Add reports to a log: Parquet files in folders by survey, round and day.

    [bold]Examples[/bold]
    \b
    harmony export phones.yaml reports.parquet -o logs
    harmony export phones.yaml monday.parquet -o logs --day 2026-11-09
    harmony tally phones.yaml logs -o week46.tally
    """
    from ..engines import LogWriter
    from .reportfiles import reports_and_round

    check_out(out, (LOG,))
    asked = load_survey(survey)
    written = 0
    round, tables = reports_and_round(asked, reports)
    with LogWriter(out, asked, round, day.date() if day else None) as log:
        for table in tables:
            log.write_table(table)
            written += len(table)
    if json:
        say_json({"survey": asked.name, "round": round.label, "reports": written, "out": str(out)})
        return
    say(f"{plural(written, 'report')} of {asked.name}, round {round.label} -> {out}")
