"""`harmony serve`: collect from devices over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import HarmonyError
from .terminal import reporting


@reporting
def serve(
    database: Annotated[
        str | None, typer.Option(help="A SQLite file, or postgresql://... (harmony.db).")
    ] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on (127.0.0.1).")] = None,
    port: Annotated[
        int | None, typer.Option(help="Port to listen on; 0 takes a free one (8000).")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes to serve with; more than 1 needs PostgreSQL (1).")
    ] = None,
    public_url: Annotated[
        str | None, typer.Option(help="How devices and people reach the server.")
    ] = None,
    enrolment: Annotated[
        str | None, typer.Option(help="Who may enrol: open, key or list (open).")
    ] = None,
    log_format: Annotated[str | None, typer.Option(help="console or json (console).")] = None,
    config: Annotated[
        Path | None, typer.Option(help="Settings in a .toml, .yaml or .json file.")
    ] = None,
) -> None:
    """Collect from devices over HTTP, until it is stopped.

    The first start prints a link with which to become its admin. Every setting can also come
    from HARMONY_* in the environment or from the file; flags win, then the environment.

    [bold]Examples[/bold]
    \b
    harmony serve
    harmony serve --database postgresql://harmony@localhost/harmony --workers 4
    HARMONY_ENROLMENT=key harmony serve --config harmony.toml
    """
    try:
        from ..service import Settings
        from ..service import serve as run
    except ModuleNotFoundError as missing:
        raise HarmonyError(
            f"the service needs {missing.name}: pip install 'harmony-ldp[service]'"
        ) from None
    run(
        Settings.load(
            config=config,
            database=database,
            host=host,
            port=port,
            workers=workers,
            public_url=public_url,
            enrolment=enrolment,
            log_format=log_format,
        )
    )
