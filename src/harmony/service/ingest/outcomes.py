"""What becomes of a report: one small number each, so that a batch's outcomes are an array."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Outcomes = NDArray[np.uint8]

ACCEPTED: Final = 0
DUPLICATE: Final = 1
CONFLICT: Final = 2
CLOSED: Final = 3
MALFORMED: Final = 4
UNAUTHORIZED: Final = 5
FORBIDDEN: Final = 6

NAMES: Final = (
    "accepted", "duplicate", "conflict", "closed", "malformed", "unauthorized", "forbidden",
)  # fmt: skip
"""The word for each outcome, as in the results of a list of reports."""

LETTERS: Final = np.frombuffer(b"adcxmuf", np.uint8)
"""The letter for each outcome, as in the results of a packed batch."""


def letters(outcomes: Outcomes) -> str:
    """Return one letter for each outcome.

    >>> letters(np.array([ACCEPTED, ACCEPTED, CONFLICT], np.uint8))
    'aac'
    """
    return LETTERS[outcomes].tobytes().decode()


def by_name(outcomes: Outcomes) -> dict[str, int]:
    """Count the outcomes that occur.

    >>> by_name(np.array([ACCEPTED, ACCEPTED, CONFLICT], np.uint8))
    {'accepted': 2, 'conflict': 1}
    """
    occurring = enumerate(np.bincount(outcomes, minlength=len(NAMES)).tolist())
    return {NAMES[outcome]: count for outcome, count in occurring if count}
