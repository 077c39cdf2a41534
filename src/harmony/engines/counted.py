"""What an engine gives back: the tally, and how many reports it left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Counts
from ..errors import TallyError
from ..tally import Tally
from .log import Log


@dataclass(frozen=True)
class Counted:
    """The tally of a log, and how many repeated reports of its devices were left out."""

    tally: Tally
    duplicates: int


def counted(log: Log, counts: Counts, invalid: int) -> Counted:
    """Check the flat counts of a log and make them a tally."""
    survey, empty = log.survey, Tally.empty(log.survey, log.round)
    if invalid:
        raise TallyError(f"{log.folder}: {invalid} answers lie in no cell of the survey")
    sizes = [sum(rows * symbols for rows, symbols in tier) for tier in empty.shapes]
    answers = [int(part.sum()) for part in np.split(counts, np.cumsum(sizes)[:-1])]
    reports = tuple(answer // survey.answers for answer in answers)
    return Counted(Tally.of(survey, log.round, counts, reports), log.rows - sum(reports))
