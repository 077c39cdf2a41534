"""The collection service: every device heard once, nothing lost.

A report's way: `ingest` reads it, `writer` gathers it with others, a store in `stores` commits
it with its counts, and only then does the device hear that it was accepted.
"""

from __future__ import annotations

from .settings import Settings

__all__ = ["Settings", "serve"]


def serve(settings: Settings | None = None) -> None:
    """Serve over HTTP until told to stop; see `Settings` for what can be set."""
    from .server import run

    run(settings or Settings.load())
