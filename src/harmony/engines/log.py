"""Report logs: the reports of many rounds as Parquet, in folders by survey, round and day.

    logs/survey=phones/round=2026-W46/day=2026-11-15/part-000000000000.parquet

`device_low` and `device_high` are the halves of the id as signed 64-bit integers, which every
engine reads without conversion and groups by quickly.  `number` is the order in which a day's
reports were added.  `cell_0`.. say where in the tally each answer counts: the coins are
recomputed once, when a report enters the log, and from then on any engine can count.  A cell
tells its tier and symbol, so nothing of the report is lost.  Every file names its survey's
fingerprint and its round's seed in its metadata, and whether the ids are pseudonyms: then they tell
devices apart in this round, and coins cannot be recomputed from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote, unquote

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from ..errors import TallyError
from ..reports import cell_columns, has_pseudonyms, said_by
from ..rounds import Round
from ..survey import Survey

LOW, HIGH, NUMBER = "device_low", "device_high", "number"
SUFFIX = ".parquet"


@dataclass(frozen=True)
class LogFile:
    """One file of a log: the day it belongs to, and its rows, group after group.

    Its metadata are kept, because reading them anew for every group takes a while.
    """

    path: str
    day: str
    groups: tuple[int, ...]
    about: pq.FileMetaData = field(repr=False, compare=False)

    @property
    def rows(self) -> int:
        """How many reports the file holds."""
        return sum(self.groups)


@dataclass(frozen=True)
class Log:
    """The files of one round of one survey."""

    survey: Survey
    round: Round
    filesystem: Any
    folder: str
    files: tuple[LogFile, ...]
    pseudonyms: bool = False

    @property
    def rows(self) -> int:
        """How many reports were logged, repeated ones included."""
        return sum(file.rows for file in self.files)

    @property
    def local(self) -> bool:
        """Whether the files are on this machine."""
        return isinstance(self.filesystem, fs.LocalFileSystem)

    def read(self, file: LogFile, group: int, columns: list[str]) -> pa.Table:
        """Read some columns of one group of rows."""
        with _parquet(self.filesystem, file.path, file.about) as source:
            return source.read_row_group(group, columns=columns, use_threads=False)


def open_log(survey: Survey, root: str | Path, label: str | None = None) -> Log:
    """Find the files of a round; without a label there must be one round only.

    `root` is a folder, or an address such as `s3://bucket/logs`.
    """
    filesystem, base = _filesystem(root)
    base = f"{base}/survey={quote(survey.name, safe='')}"
    rounds = {unquote(path.split("=", 1)[1]): path for path in _folders(filesystem, base, "round")}
    if label is None and len(rounds) > 1:
        raise TallyError(f"{root}: holds the rounds {', '.join(sorted(rounds))}; choose one")
    if not rounds or (label is not None and label not in rounds):
        wanted = "any round" if label is None else f"round {label!r}"
        raise TallyError(f"{root}: holds no reports of {wanted} of survey {survey.name!r}")
    folder = f"{base}/{rounds[label or next(iter(rounds))]}"
    files, seeds, names = [], set(), set()
    for path in _files(filesystem, folder):
        try:
            with _parquet(filesystem, path) as source:
                file, round = _checked(survey, path, source)
                names.add(has_pseudonyms(source.schema_arrow))
        except (pa.ArrowException, OSError):
            raise TallyError(f"{path}: is damaged, or not a Parquet file") from None
        files.append(file)
        seeds.add(round)
    if not files:
        raise TallyError(f"{root}: holds no reports of survey {survey.name!r}")
    if len(seeds) > 1:
        raise TallyError(f"{folder}: its files belong to rounds with different seeds")
    if len(names) > 1:
        raise TallyError(
            f"{folder}: some of its files have pseudonyms of devices and some their ids, so that a "
            "device could count twice; export the round into a log of its own"
        )
    return Log(survey, seeds.pop(), filesystem, folder, tuple(files), names.pop())


def day_folder(survey: Survey, round: Round, day: date) -> PurePosixPath:
    """Return where a day's files of a round belong, below the log's root.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0)
    >>> print(day_folder(survey, Round("2026:46", bytes(16)), date(2026, 11, 15)))
    survey=phones/round=2026%3A46/day=2026-11-15
    """
    parts = {"survey": survey.name, "round": round.label, "day": day.isoformat()}
    return PurePosixPath(*(f"{name}={quote(part, safe='')}" for name, part in parts.items()))


def _checked(survey: Survey, path: str, source: pq.ParquetFile) -> tuple[LogFile, Round]:
    """Return what a file holds, once it is known to belong to the survey."""
    named = said_by(source.schema_arrow)
    if named is None:
        raise TallyError(f"{path}: does not say its survey and round; write it with a LogWriter")
    if named[0] != survey.fingerprint:
        raise TallyError(f"{path}: belongs to another survey, not to {survey.name!r}")
    needed = [LOW, HIGH, NUMBER, *cell_columns(survey)]
    if missing := [name for name in needed if name not in source.schema_arrow.names]:
        raise TallyError(f"{path}: column {missing[0]!r} is missing")
    about = source.metadata
    groups = tuple(about.row_group(group).num_rows for group in range(about.num_row_groups))
    day = PurePosixPath(path).parent.name.removeprefix("day=")
    return LogFile(path, day, groups, about), named[1]


def _filesystem(root: str | Path) -> tuple[Any, str]:
    if "://" in str(root):
        filesystem, base = fs.FileSystem.from_uri(str(root))
        return filesystem, base.rstrip("/")
    return fs.LocalFileSystem(), str(Path(root).absolute())


def _folders(filesystem: Any, base: str, name: str) -> list[str]:
    found = filesystem.get_file_info(fs.FileSelector(base, allow_not_found=True))
    folders = [one.base_name for one in found if one.type == fs.FileType.Directory]
    return [folder for folder in folders if folder.startswith(f"{name}=")]


def _files(filesystem: Any, folder: str) -> Iterator[str]:
    """Yield the Parquet files in a folder and below, without those still being written."""
    found = filesystem.get_file_info(fs.FileSelector(folder, recursive=True))
    for one in sorted(found, key=lambda one: one.path):
        hidden = one.base_name.startswith((".", "_"))
        if one.type == fs.FileType.File and one.path.endswith(SUFFIX) and not hidden:
            yield one.path


def _parquet(filesystem: Any, path: str, about: pq.FileMetaData | None = None) -> pq.ParquetFile:
    if isinstance(filesystem, fs.LocalFileSystem):
        return pq.ParquetFile(path, metadata=about, memory_map=True)
    return pq.ParquetFile(filesystem.open_input_file(path), metadata=about, pre_buffer=True)
