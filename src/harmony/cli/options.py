"""The arguments and options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SurveyFile = Annotated[
    Path,
    typer.Argument(metavar="SURVEY", help="Survey file (.yaml, .json)", show_default=False),
]
DatabasePlace = Annotated[
    str,
    typer.Argument(
        metavar="DATABASE", help="A SQLite file, or postgresql://...", show_default=False
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs, and nothing else.")]
Confidence = Annotated[
    float, typer.Option(help="How sure the intervals should be, between 0 and 1.")
]
Seed = Annotated[
    int | None,
    typer.Option(
        help="Repeat a simulation exactly. Whoever knows the seed can undo the noise: "
        "leave it out for people's real values.",
        show_default=False,
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Spark cluster, spark://host:7077 for instance; this machine if not given.",
        show_default=False,
    ),
]
Top = Annotated[
    int | None,
    typer.Option(
        help="Of each histogram only the N most frequent values, or the N largest differences.",
        metavar="N",
        min=1,
    ),
]
