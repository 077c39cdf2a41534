"""`harmony check`: recount what a database holds, and look at its schema and keys."""

from __future__ import annotations

import time

import typer

from .databases import opened
from .options import DatabasePlace, Json
from .terminal import FAILED, plural, reporting, say, say_json


@reporting
def check(database: DatabasePlace, json: Json = False) -> None:
    """Check a server's database: schema, keys, documents, and every tally against a recount.

    It reads one snapshot, so the server may run. The exit code is 0 if all is well and 1 if not.

    [bold]Examples[/bold]
    \b
    harmony check harmony.db
    harmony check postgresql://harmony@localhost/harmony
    """
    looked, wrong = 0, []
    with opened(database, any_version=True) as source:
        from ..service.upkeep.check import check as look

        for finding in look(source, time.time()):
            looked += 1
            if finding.problem is not None:
                wrong.append(finding)
                if not json:
                    say(f"{finding.what}: {finding.problem}")
    if json:
        problems = [{"what": one.what, "problem": one.problem} for one in wrong]
        say_json({"checked": looked, "problems": problems})
    elif not wrong:
        say(f"{plural(looked, 'thing')} checked: all is well")
    if wrong:
        raise typer.Exit(FAILED)
