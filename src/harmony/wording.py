"""Words for the people who are asked: a survey's purpose, and the question of each attribute.

They are part of the survey's document, so its fingerprint covers them: whoever reviewed a
fingerprint reviewed its words.  Devices ignore them.
"""

from __future__ import annotations

import unicodedata

from harmony_device.fields import is_well_formed

from .errors import SurveyError

MOST_CHARACTERS = 400
"""Devices refuse documents with more decimal digits in a row, wherever these stand."""

_UNREADABLE = {"Cc", "Zl", "Zp"}
"""Unicode's control characters, line and paragraph separators."""


def checked_words(words: object, field: str) -> str | None:
    """Return words to be shown to people, or refuse them by the field's name; None is none.

    >>> checked_words("How full is your battery?", "battery: 'question'")
    'How full is your battery?'
    """
    if words is None:
        return None
    if not isinstance(words, str) or not words.strip() or len(words) > MOST_CHARACTERS:
        raise SurveyError(f"{field} must be a text of 1 to {MOST_CHARACTERS} characters")
    if not is_well_formed(words):
        raise SurveyError(f"{field} holds half of a surrogate pair")
    if any(unicodedata.category(character) in _UNREADABLE for character in words):
        raise SurveyError(f"{field} must be one line, without control characters")
    return words
