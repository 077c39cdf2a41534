"""`harmony demo`'s invitation: the pages to open while its server stays up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from ..demo import Invitation

PAGES = (
    (
        "dashboard",
        "The dashboard (this link signs you in, once)",
        "Look at the intervals: each says how far its estimate may be from a truth nobody holds.",
    ),
    (
        "be_a_device",
        "Be a device",
        "Set your own values, see what leaves your browser, then let a crowd move the estimate.",
    ),
    (
        "public",
        "The survey's public page",
        "What people who are asked can read: the questions, and what an answer reveals at most.",
    ),
)


def print_invitation(invitation: Invitation) -> None:
    """Print the links, each with a sentence on what to look at."""
    lines = ["", typer.style("The server stays up until you press Ctrl-C. Open:", bold=True)]
    for field, title, look in PAGES:
        link = getattr(invitation, field)
        lines += ["", f"  {typer.style(title, bold=True)}", f"  {link}", f"  {look}"]
    typer.echo("\n".join(lines), err=True)
