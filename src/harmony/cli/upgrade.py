"""`harmony upgrade`: bring a database to this version, with a copy of it beside."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from ..errors import HarmonyError
from .databases import opened
from .options import DatabasePlace, Json
from .terminal import FAILED, busy, reporting, say, say_json


@reporting
def upgrade(
    database: DatabasePlace,
    backup: Annotated[
        Path | None,
        typer.Option(
            help="Where to copy a SQLite database first (its name and version).",
            show_default=False,
        ),
    ] = None,
    backed_up: Annotated[
        bool, typer.Option("--backed-up", help="You have a backup: make no copy.")
    ] = False,
    json: Json = False,
) -> None:
    """Bring a database to the schema of this Harmony, and check it; stop its servers before.

    A SQLite database is copied first. Of PostgreSQL make a dump, and say --backed-up. The first
    start of a server does the same, without the copy.

    [bold]Examples[/bold]
    \b
    harmony upgrade harmony.db
    harmony upgrade postgresql://harmony@localhost/harmony --backed-up
    """
    with opened(database, any_version=True) as source:
        from ..service.database import SCHEMA_VERSION
        from ..service.upkeep.backup import back_up
        from ..service.upkeep.check import check

        before, copy = source.version(), None
        if before != SCHEMA_VERSION and not backed_up:
            if not source.is_sqlite:
                raise HarmonyError("make a dump of it first (pg_dump), and then say --backed-up")
            copy = backup or Path(f"{source.url.database}.version-{before}")
            back_up(source, copy)
        with busy("Upgrading"):
            source.migrate()
            wrong = [one for one in check(source, time.time()) if one.problem is not None]
    if json:
        problems = [{"what": one.what, "problem": one.problem} for one in wrong]
        say_json({"from": before, "to": SCHEMA_VERSION, "copy": copy and str(copy),
                  "problems": problems})  # fmt: skip
    else:
        done = "is there already" if before == SCHEMA_VERSION else f"was version {before}"
        say(f"{database}: version {SCHEMA_VERSION}, {done}")
        if copy is not None:
            say(f"the copy of before is {copy}; delete it when you are sure")
        for one in wrong:
            say(f"{one.what}: {one.problem}")
    if wrong:
        raise typer.Exit(FAILED)
