"""`harmony export`: put reports into a log, where any engine can count them."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import DataError, HarmonyError
from .loading import LOG, check_out, load_survey
from .options import Json, SurveyFile
from .terminal import plural, reporting, say, say_json

if TYPE_CHECKING:
    from ..rounds import Round
    from ..survey import Survey


@reporting
def export(
    survey: SurveyFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="The log: a directory")],
    reports: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[REPORTS]...",
            help="Files of reports of one round, in their order",
            show_default=False,
        ),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            help="A server's database instead: a SQLite file, or postgresql://...",
            show_default=False,
        ),
    ] = None,
    round: Annotated[
        str | None,
        typer.Option(help="Which of the server's rounds (the latest).", show_default=False),
    ] = None,
    day: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"], help="Day they arrived (today, UTC).", show_default=False
        ),
    ] = None,
    raw_ids: Annotated[
        bool,
        typer.Option(
            "--raw-ids",
            help="Write devices' ids, which link rounds, not pseudonyms of the round (recorded).",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Add reports to a log: Parquet files in folders by survey, round and day.

    [bold]Examples[/bold]
    \b
    harmony export phones.yaml reports.parquet -o logs
    harmony export phones.yaml monday.parquet -o logs --day 2026-11-09
    harmony export phones.yaml --database harmony.db --round 2026-W46 -o logs
    harmony tally phones.yaml logs -o week46.tally
    """
    check_out(out, (LOG,))
    if bool(reports) == (database is not None):
        raise DataError("name files of reports, or a server's --database")
    if raw_ids and database is None:
        raise DataError("--raw-ids is for a server's --database; files have the ids that they have")
    asked = load_survey(survey)
    arrived = day.date() if day else None
    if database is None:
        exported, written = _from_files(asked, reports or [], out, arrived)
    else:
        exported, written = _from_server(asked, database, round, out, arrived, raw_ids)
    if json:
        about = {"survey": asked.name, "round": exported.label}
        say_json(about | {"reports": written, "out": str(out)})
        return
    say(f"{plural(written, 'report')} of {asked.name}, round {exported.label} -> {out}")


def _from_files(
    survey: Survey, reports: list[Path], out: Path, day: date | None
) -> tuple[Round, int]:
    from ..engines import LogWriter
    from .report_files import reports_and_round

    round, tables = reports_and_round(survey, reports)
    written = 0
    with LogWriter(out, survey, round, day) as log:
        for table in tables:
            log.write_table(table)
            written += len(table)
    return round, written


def _from_server(
    survey: Survey, database: str, label: str | None, out: Path, day: date | None, raw: bool
) -> tuple[Round, int]:
    if "://" not in database and not Path(database).is_file():
        raise DataError(f"{database}: there is no such database")
    try:
        from ..service.activity import at_the_command_line
        from ..service.export import add_to_log
    except ModuleNotFoundError as missing:
        raise HarmonyError(
            f"reading a server's database needs {missing.name}: pip install 'harmony-ldp[service]'"
        ) from None
    by = at_the_command_line()
    return add_to_log(database, survey, label, out, day, raw=raw, by=by)
