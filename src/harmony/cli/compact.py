"""`harmony compact`: write a database's files anew, without what was deleted."""

from __future__ import annotations

from .databases import opened
from .options import DatabasePlace
from .terminal import busy, reporting, say


@reporting
def compact(database: DatabasePlace) -> None:
    """Write the files of a database anew: they become small, and nothing deleted is left in them.

    It takes as long as a copy; devices that report meanwhile are told to come back.

    [bold]Examples[/bold]
    \b
    harmony compact harmony.db
    """
    with opened(database) as source, busy("Writing the files anew"):
        source.compact()
    say(f"{database}: written anew")
