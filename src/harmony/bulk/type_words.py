"""Types in words: what a column holds, told without a library's name for it."""

from __future__ import annotations

import re

_WORDS = {
    "text": ("string", "large_string", "string_view", "str", "<u", "utf", "object"),
    "integers": ("int", "uint"),
    "booleans": ("bool", "boolean"),
    "floating-point numbers": ("float", "double", "halffloat"),
    "decimal numbers": ("decimal",),
    "complex numbers": ("complex",),
    "categories": ("category", "categorical", "dictionary", "enum"),
    "dates": ("date",),
    "times": ("time", "timestamp", "datetime", "<m"),
    "durations": ("duration", "timedelta"),
    "lists": ("list", "large_list", "list_view", "fixed_size_list", "array"),
    "records": ("struct", "map"),
    "bytes": ("binary", "large_binary", "fixed_size_binary", "bytes"),
    "nothing": ("null",),
}
_WORD_OF = {name: word for word, names in _WORDS.items() for name in names}


def in_words(found: str) -> str:
    """Return what a column of a type holds, in a word where there is one.

    >>> in_words("large_string"), in_words("float64"), in_words("date32[day]")
    ('text', 'floating-point numbers', 'dates')
    >>> in_words("values of another type (3 in rows 0 to 9)")
    'values of another type (3 in rows 0 to 9)'
    """
    name = re.match(r"<?[a-z_]+", found.casefold())
    return _WORD_OF.get(name[0], found) if name else found
