"""The option that saves a plot to a file, with matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import HarmonyError
from .loading import check_out

FORMATS = (".svg", ".png", ".pdf")

SavePlot = Annotated[
    Path | None,
    typer.Option("--save-plot", help="Save a plot (.svg, .png, .pdf).", show_default=False),
]


def check_plot(out: Path | None) -> None:
    """Refuse a plot that could not be saved, before the work is done."""
    if out is None:
        return
    check_out(out, FORMATS)
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError:
        raise HarmonyError(
            "--save-plot needs matplotlib: pip install 'harmony-ldp[plot]'"
        ) from None
