"""The outbox: reports on disk that the server has not acknowledged yet.

A report is written here before it is first sent, and sent from here only, so that what
is sent again after a lost answer or a crash is the same bytes.
"""

from __future__ import annotations

import os

from .durable import make_directory, read_file, remove_file, write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "outbox"


class Waiting:
    """A report that waits to be acknowledged, in the file called `file`."""

    __slots__ = ("at", "file", "report", "round", "survey")

    def __init__(self, survey: str, round: str, report: bytes, at: float, file: str) -> None:
        self.survey = survey
        self.round = round
        self.report = report
        self.at = at
        self.file = file


class Outbox:
    """The waiting reports of a device's directory, a file each, `most_bytes` at most.

    >>> import tempfile
    >>> outbox = Outbox(tempfile.mkdtemp())
    >>> outbox.add("phones", "2026-W46", bytes(18), at=1.7e9)
    >>> [(one.survey, one.round, len(one.report)) for one in outbox.waiting()]
    [('phones', '2026-W46', 18)]
    """

    def __init__(self, directory: str, most_bytes: int = 1 << 20) -> None:
        self._folder = os.path.join(directory, FOLDER)
        self.most_bytes = most_bytes

    def add(self, survey: str, round: str, report: bytes, at: float) -> None:
        """Keep a report, durably, before it is first sent."""
        make_directory(self._folder)
        self._remove_unfinished()
        write_file(self._path(name_of(survey, round)), _content(survey, round, report, at))

    def has_room(self, survey: str, round: str, report_bytes: int) -> bool:
        """Whether one more report of this size may be kept."""
        more = len(_content(survey, round, bytes(report_bytes), 1e12 + 0.123456))
        return self.bytes() + more <= self.most_bytes

    def bytes(self) -> int:
        """Return how many bytes the waiting reports take."""
        return sum(os.path.getsize(self._path(file)) for file in self._files())

    def waiting(self) -> list[Waiting]:
        """Return the reports that can be read, oldest first."""
        return sorted(filter(None, map(self._read, self._files())), key=lambda one: one.at)

    def damaged(self) -> list[str]:
        """Return the names of files that hold no report."""
        return [file for file in self._files() if self._read(file) is None]

    def remove(self, file: str) -> None:
        """Remove a report; another process may have done so already."""
        remove_file(self._path(file))

    def clear(self) -> None:
        """Remove everything, what a crash left unfinished as well."""
        if os.path.isdir(self._folder):
            for file in os.listdir(self._folder):
                self.remove(file)

    def _remove_unfinished(self) -> None:
        """Remove what a crash left half written: it was never sent and never will be."""
        for file in os.listdir(self._folder):
            if not file.endswith(".json"):
                self.remove(file)

    def _files(self) -> Iterator[str]:
        if os.path.isdir(self._folder):
            for file in sorted(os.listdir(self._folder)):
                if file.endswith(".json"):
                    yield file

    def _path(self, file: str) -> str:
        return os.path.join(self._folder, file)

    def _read(self, file: str) -> Waiting | None:
        import json

        try:
            kept = json.loads(read_file(self._path(file)) or b"")
            survey, round, at = kept["survey"], kept["round"], float(kept["at"])
            if file == name_of(survey, round):
                return Waiting(survey, round, bytes.fromhex(kept["report"]), at, file)
        except (ValueError, KeyError, TypeError, RecursionError, OSError):
            pass
        return None


def name_of(survey: str, round: str) -> str:
    """Return the file name of a round's report: the same round never has two."""
    from hashlib import sha256

    return sha256(f"{survey}\n{round}".encode()).hexdigest()[:32] + ".json"


def _content(survey: str, round: str, report: bytes, at: float) -> bytes:
    import json

    kept = {"survey": survey, "round": round, "report": report.hex(), "at": at}
    return json.dumps(kept).encode() + b"\n"
