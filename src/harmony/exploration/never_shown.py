"""What is never shown: patterns of strings that may name a person, however common they are.

The aggregator looks at kept prefixes and at found strings, and drops those in which a pattern is
found: they are in no step's document and in no result.  That is a courtesy, not a guarantee: a
pattern knows how a mail address looks, not what a name is, and whoever holds a step's tally can
decode it without asking for patterns.  What protects people is epsilon.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from ..errors import SurveyError

MOST_PATTERNS = 100
MOST_CHARACTERS = 200

COMMON_PATTERNS = (
    r"[^\s@]@",  # a mail address, also one that was cut
    r"\d(?:[ ./()-]?\d){6}",  # seven digits, as in numbers of phones, cards and accounts
    r"[?&#][^=]{0,40}=",  # what follows an address, where tokens are
    r"[0-9a-f]{16}",  # an identifier in hexadecimal digits
)
"""Mail addresses, long numbers, the parameters of addresses, and hexadecimal identifiers."""


def checked_patterns(patterns: object) -> tuple[str, ...]:
    """Return regular expressions that can be used, or refuse them."""
    if isinstance(patterns, str) or not isinstance(patterns, Iterable):
        raise SurveyError("'never' must be a list of regular expressions")
    checked = tuple(patterns)
    if len(checked) > MOST_PATTERNS:
        raise SurveyError(f"'never' may list at most {MOST_PATTERNS} patterns")
    for place, pattern in enumerate(checked):
        if not isinstance(pattern, str) or not 1 <= len(pattern) <= MOST_CHARACTERS:
            raise SurveyError(
                f"never[{place}]: must be a regular expression of 1 to {MOST_CHARACTERS} characters"
            )
        try:
            re.compile(pattern)
        except re.error as problem:
            raise SurveyError(f"never[{place}]: is no regular expression ({problem})") from None
    return checked


def is_never_shown(text: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns is found in a text, in small letters.

    >>> [is_never_shown(one, COMMON_PATTERNS) for one in ("jo@gnu.org", "0170 12 345", "gnu.org")]
    [True, True, False]
    """
    return any(pattern.search(text) for pattern in _compiled(tuple(patterns)))


@lru_cache(maxsize=64)
def _compiled(patterns: tuple[str, ...]) -> list[re.Pattern[str]]:
    return [re.compile(pattern) for pattern in patterns]
