"""`harmony backup`: copy a SQLite database while its server runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .databases import opened
from .options import DatabasePlace, Json
from .terminal import reporting, say, say_json


@reporting
def backup(
    database: DatabasePlace,
    out: Annotated[Path, typer.Argument(metavar="FILE", help="The copy: a new file")],
    json: Json = False,
) -> None:
    """Copy a SQLite database as it is at one moment, while its server runs, and check the copy.

    The copy holds the server's keys and the reports of that moment: guard it, and delete it when
    the time is over that you promised. For PostgreSQL, use pg_dump.

    [bold]Examples[/bold]
    \b
    harmony backup harmony.db backups/monday.db
    harmony check backups/monday.db
    """
    with opened(database, any_version=True) as source:
        from ..service.upkeep.backup import back_up

        size = back_up(source, out)
    if json:
        say_json({"out": str(out), "bytes": size})
        return
    say(f"{size:,} bytes -> {out}; guard it as you guard the server")
