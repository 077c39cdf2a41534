"""`harmony deletions`: keep what was deleted apart from backups, and apply it to a restored one."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from .databases import opened
from .options import DatabasePlace, Json
from .terminal import plural, reporting, say, say_json

ListFile = Annotated[Path, typer.Argument(metavar="FILE", help="The list", show_default=False)]

deletions_app = typer.Typer(
    no_args_is_help=True, help="Keep deletions apart, and apply them to a restored backup."
)


@deletions_app.command()
@reporting
def save(database: DatabasePlace, file: ListFile, json: Json = False) -> None:
    """Write the list of what was deleted; do it often, and keep it apart from the backups.

    It holds one-way marks of devices, and names of surveys and rounds: nothing to guard.

    [bold]Examples[/bold]
    \b
    harmony deletions save harmony.db deletions.json
    """
    with opened(database) as source:
        from ..service.upkeep.deletions import save as write

        written = write(source, file)
    if json:
        say_json(written | {"out": str(file)})
        return
    say(f"{plural(written['devices'], 'device')}, {plural(written['rounds'], 'round')} -> {file}")


@deletions_app.command()
@reporting
def apply(database: DatabasePlace, file: ListFile, json: Json = False) -> None:
    """Delete from a restored database what was deleted since its backup was made.

    [bold]Examples[/bold]
    \b
    harmony deletions apply restored.db deletions.json
    """
    with opened(database) as source:
        from ..service.activity import at_the_command_line
        from ..service.upkeep.deletions import apply as delete

        applied = delete(source, file, time.time, at_the_command_line())
    if json:
        say_json(asdict(applied))
        return
    say(
        f"{plural(applied.devices, 'device')} deleted with {plural(applied.reports, 'report')}; "
        f"{plural(applied.rounds, 'round')}, {plural(applied.surveys, 'survey')}"
    )
