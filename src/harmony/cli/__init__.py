"""The command line: parses, calls the rooms, prints.  Heavy imports wait inside the commands."""

from .app import app, main

__all__ = ["app", "main"]
