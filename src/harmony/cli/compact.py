"""`harmony compact`: write a database's files anew, without what was deleted."""

from __future__ import annotations

from .databases import opened
from .options import DatabasePlace, Json
from .terminal import busy, reporting, say, say_json


@reporting
def compact(database: DatabasePlace, json: Json = False) -> None:
    """Write the files of a database anew: they become small, and nothing deleted is left in them.

    It takes as long as a copy; devices that report meanwhile are told to come back.

    [bold]Examples[/bold]
    \b
    harmony compact harmony.db
    """
    with opened(database) as source, busy("Writing the files anew"):
        source.compact()
    if json:
        say_json({"database": database, "compacted": True})
    else:
        say(f"{database}: written anew")
