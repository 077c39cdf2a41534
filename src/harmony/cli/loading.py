"""Reading what commands are given: surveys, and tallies or reports to count."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import HarmonyError, SurveyError, TallyError
from .terminal import busy

if TYPE_CHECKING:
    from ..rounds import Round
    from ..survey import Survey
    from ..tally import Tally

REPORTS = (".parquet", ".csv", ".ndjson", ".jsonl")
TALLY = ".tally"
LOG = ""
"""A log of reports is a directory: its name has no ending."""

_REMOTE = re.compile(r"^(s3|gs|gcs|hdfs|abfs|abfss):/+")  # a Path has lost the second slash


def load_survey(path: Path) -> Survey:
    """Read a survey; the file is named in what goes wrong."""
    from ..files import read_structured
    from ..survey import Survey

    document = read_structured(path)
    with busy("Designing the survey's tables"):
        try:
            return Survey.from_document(document)
        except SurveyError as problem:
            raise type(problem)(f"{path}: {problem}") from None


def check_out(out: Path, formats: Sequence[str]) -> None:
    """Refuse a place that cannot be written to, before the work is done."""
    if out.suffix not in formats:
        endings = [one for one in formats if one != LOG]
        raise HarmonyError(f"{out}: the name must end in {' or '.join(endings)}")
    if not out.parent.is_dir():
        raise HarmonyError(f"{out}: there is no directory {out.parent}; create it first")


def load_tally(survey: Survey, paths: Sequence[Path], round: Round | None = None) -> Tally:
    """Add up the tallies and report files of one round; no device may report twice."""
    from ..tally import Tally
    from .report_files import count_reports

    tallies = []
    for path in paths:
        if path.suffix == TALLY:
            tallies.append(Tally.load(path))
            tallies[-1].check(survey)
    if reports := [path for path in paths if path.suffix != TALLY]:
        tallies.append(count_reports(survey, reports, round))
    if not tallies:
        raise TallyError("nothing to tally; name at least one file")
    return sum(tallies[1:], tallies[0])


def is_log(path: Path) -> bool:
    """Whether this is a log of reports: a directory, or one in a store such as s3://."""
    return path.is_dir() or _REMOTE.match(str(path)) is not None


def count_log(
    survey: Survey,
    paths: Sequence[Path],
    label: str | None,
    engine: str,
    trusted: bool,
    master: str | None,
) -> tuple[Tally, int]:
    """Return a log's tally and how many repeated reports were left out."""
    from ..engines import tally_log

    if len(paths) > 1:
        raise TallyError("a log is counted by itself; add its tally to others afterwards")
    root = _REMOTE.sub(r"\1://", str(paths[0]))
    with busy("Counting the log"):
        counted = tally_log(survey, root, label, engine=engine, trusted=trusted, master=master)
    return counted.tally, counted.duplicates
