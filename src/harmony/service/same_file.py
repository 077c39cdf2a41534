"""Whether a database's file is still where it was: SQLite writes on to one that was removed."""

from __future__ import annotations

import os

from sqlalchemy.exc import SQLAlchemyError


class MovedFileError(SQLAlchemyError):
    """The database's file was removed, or another was put in its place."""

    def __init__(self) -> None:
        super().__init__(
            "the database's file was moved, removed or replaced while the server runs; put it "
            "back, or restart the server"
        )


class SameFile:
    """The file at a path, as it was when it was first looked at.

    What is committed to a file that has no name any more would be acknowledged, and gone with the
    process.

    >>> SameFile(os.devnull).check()
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._first = self._found()

    def check(self) -> None:
        """Raise the error if the file is another one, or gone."""
        if self._found() != self._first:
            raise MovedFileError

    def _found(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_dev, found.st_ino
