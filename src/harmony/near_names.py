"""Near names: what somebody probably meant by a name that is not there."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

LEAST_ALIKE = 0.6
MOST_NAMES = 2_000
"""Names that are compared letter by letter; of more, only those that differ in case or blanks."""


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return a question to end an error with, or nothing where no known name is near.

    >>> did_you_mean("battery", ["Battery", "theme"])
    "; did you mean 'Battery'?"
    >>> did_you_mean("batery use", ["battery_use", "theme"])
    "; did you mean 'battery_use'?"
    >>> did_you_mean("wifi", ["battery", "theme"])
    ''
    """
    names = {_plain(one): one for one in reversed(list(map(str, known)))}
    wanted = _plain(str(name))
    if wanted in names:
        return f"; did you mean {names[wanted]!r}?"
    if len(names) > MOST_NAMES:
        return ""
    near = difflib.get_close_matches(wanted, names, n=1, cutoff=LEAST_ALIKE)
    return f"; did you mean {names[near[0]]!r}?" if near else ""


def _plain(name: str) -> str:
    """Return a name without its case, blanks and punctuation, if anything is left of it."""
    folded = name.casefold()
    return re.sub(r"[\W_]+", "", folded) or folded
