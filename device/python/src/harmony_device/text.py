"""Text: a public code that spells a text in bits, and a text's place among prefixes that were kept.

A document brings the code: for each context (the last characters), which characters have a word of
how many bits.  The words are the canonical prefix code of those lengths, so common texts are short
and every language computes the same bits from integers alone.  No table of Unicode is asked.

Privacy: this is pre-processing.  Whatever prefixes a server asks about, the answer is one place of
those that the survey has, and goes through a table that was proved to keep its epsilon.  Every
value has a place, so nothing is drawn and nothing is left out.
"""

from __future__ import annotations

from .attributes import NO_VALUE, Reading
from .errors import RefusedError
from .fields import is_well_formed
from .protocol import (
    MAX_CONTEXT,
    MAX_CONTEXTS,
    MAX_EXTENSION,
    MAX_KEPT,
    MAX_PLACES,
    MAX_TEXT_BITS,
    MAX_WORD,
)
from .record import TEXT
from .strict_json import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .attributes import Answer

START, END, ESCAPE = "\x02", "\x03", "\x1b"
"""What stands for the beginning of a text, for its end, and for what a context does not list."""

POINT_BITS = 21
"""Bits of a code point that no context lists."""

_FOLDED = dict.fromkeys([*range(0x20), 0x7F], " ")
_FOLDED |= {upper: chr(upper + 32) for upper in range(ord("A"), ord("Z") + 1)}


def normalized(text: str, most: int) -> str:
    """Return the first `most` characters of a text as it is coded.

    A to Z become small letters, control characters become spaces, and spaces at both ends go.

    >>> normalized("\\n WWW.Example.ORG\\tÄÖ ", 18)
    'www.example.org ÄÖ'
    """
    return text.translate(_FOLDED).strip(" ")[:most]


class TextCode:
    """A prefix code for each context: the words of the characters that may come next.

    The context is the longest one with which the text so far, after `START`, ends.  It lists
    characters by the length of their words; within a length, words count upwards.  A character
    that it does not list is its escape and the word of the context "", and one that this does not
    list either is that one's escape and 21 bits.

    >>> code = TextCode({"": ["e", "\\x03", "", "a\\x1b"], "e": ["\\x03", "e\\x1b"]})
    >>> code.bits("ae", 8), code.bits("e", 8), code.bits("eeee", 4), code.bits("ea", 8)
    ('11000000', '00000000', '0101', '01111001')
    >>> code.bits("é", 26)
    '11010000000000000111010011'
    """

    __slots__ = ("longest", "words")

    def __init__(self, document: Any) -> None:
        if not isinstance(document, dict) or not 1 <= len(document) <= MAX_CONTEXTS:
            raise RefusedError(f"'code' must be an object of 1 to {MAX_CONTEXTS} contexts")
        self.words = {_checked_context(one): _words(lists) for one, lists in document.items()}
        if END not in self.words.get("", ()):
            raise RefusedError("'code' must have the context '', which lists the end of a text")
        self.longest = max(map(len, self.words))

    def bits(self, text: str, most: int) -> str:
        """Return the first `most` bits of a text's code; a shorter one goes on with zeros."""
        written, size, before = [], 0, START
        for one in normalized(text, most) + END:
            word = self.word(before, one)
            written.append(word)
            size += len(word)
            if size >= most:
                break
            before = self.after(before, one)
        return "".join(written)[:most].ljust(most, "0")

    def word(self, before: str, one: str) -> str:
        """Return the word of a character, or of `END`, that comes after `before`."""
        words, rest = self.words[self.context(before)], self.words[""]
        if one in words:
            return words[one]
        escape = "" if words is rest else words[ESCAPE]
        if one in rest:
            return escape + rest[one]
        return escape + rest[ESCAPE] + format(ord(one), f"0{POINT_BITS}b")

    def after(self, before: str, one: str) -> str:
        """Return as much of a text as contexts look at, once a character more is there."""
        return (before + one)[-self.longest :] if self.longest else ""

    def context(self, before: str) -> str:
        """Return the longest context with which a text ends."""
        for length in range(min(self.longest, len(before)), 0, -1):
            if before[-length:] in self.words:
                return before[-length:]
        return ""


class Text(Reading):
    """A text, as its place: which kept prefix its bits begin with, and how they go on.

    The places are the extensions of each of `prefixes` by so many `bits`, then each of `strings`,
    then all other texts, among which is none at all.

    >>> text = Text({"name": "vowels", "code": {"": ["e", "\\x03", "", "a\\x1b"]}, "length": 8,
    ...              "prefixes": ["0", "1"], "bits": 1, "strings": ["10"]})
    >>> text.values, text.read("ee"), text.read("E"), text.read("a"), text.read(""), text.read(3)
    (6, 0, 1, 3, 4, 5)
    """

    __slots__ = (
        "_bits",
        "_code",
        "_depth",
        "_length",
        "_missing",
        "_prefixes",
        "_strings",
        "values",
    )

    code = "linear"
    signed = False
    type = TEXT

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(document)
        self._code = TextCode(document.get("code"))
        self._length = _checked_whole(document, "length", 1, MAX_TEXT_BITS)
        self._bits = _checked_whole(document, "bits", 0, MAX_EXTENSION)
        prefixes, strings = (_checked_bits(document, one) for one in ("prefixes", "strings"))
        self._depth = len(prefixes[0]) if prefixes else 0
        if any(len(one) != self._depth for one in prefixes):
            raise RefusedError("'prefixes' must have the same number of bits")
        if self._depth + self._bits > self._length:
            raise RefusedError("'prefixes' and 'bits' must fit into 'length'")
        if any(len(one) > self._length for one in strings):
            raise RefusedError("'strings' must fit into 'length'")
        self._prefixes = {one: place << self._bits for place, one in enumerate(prefixes)}
        first = len(prefixes) << self._bits
        padded = [one.ljust(self._length, "0") for one in strings]
        self._strings = {one: first + place for place, one in enumerate(padded)}
        if len(self._prefixes) != len(prefixes) or len(self._strings) != len(strings):
            raise RefusedError("'prefixes' or 'strings' lists the same bits twice")
        self.values = first + len(strings) + 1
        if not 2 <= self.values <= MAX_PLACES:
            raise RefusedError(
                f"'prefixes', 'bits' and 'strings' make more than {MAX_PLACES} places"
            )
        self._missing = document.get("missing")
        if self._missing is not None and _text(self._missing) is None:
            raise RefusedError("'missing' must be a text")
        if document.get("unlisted") is not None:
            raise RefusedError("'unlisted' has no meaning for a text; others have their own place")

    def read(self, value: object) -> int:
        """Return the place of `value`: every value has one."""
        text = _text(value)
        if text is None:
            text = self._missing
        if text is None:
            return self.values - 1
        bits = self._code.bits(text, self._length)
        place = self._strings.get(bits)
        if place is not None:
            return place
        first = self._prefixes.get(bits[: self._depth])
        if first is None:
            return self.values - 1
        return first + int("0" + bits[self._depth : self._depth + self._bits], 2)

    def warning(self, value: object) -> str | None:
        """Return what an app's developer should know about `value`, without telling it."""
        return None if _text(value) is not None else NO_VALUE.format(type=self.type)

    def place(self, answer: Answer, word: int) -> int:
        """Return the place of an answer; nobody is without one, so the word is not needed."""
        return answer  # type: ignore[return-value]  # a place


def _text(value: object) -> str | None:
    """Return a value as text, or None if it is none; no code of the value's own class is run."""
    if not issubclass(type(value), str):
        return None
    text = str.__str__(value)
    return text if is_well_formed(text) else None


def _checked_context(context: str) -> str:
    if len(context) > MAX_CONTEXT or not is_well_formed(context):
        raise RefusedError(f"'code': a context must be a text of at most {MAX_CONTEXT} characters")
    return context


def _words(lists: Any) -> dict[str, str]:
    """Return the words of one context: the canonical code of the lengths that it lists."""
    if not isinstance(lists, list) or not 1 <= len(lists) <= MAX_WORD:
        raise RefusedError(f"'code': a context must list 1 to {MAX_WORD} texts")
    words: dict[str, str] = {}
    number = count = 0
    for length, characters in enumerate(lists, 1):
        if _text(characters) is None:
            raise RefusedError("'code': a context must list texts")
        number <<= 1
        for one in characters:
            words[one] = format(number, f"0{length}b")
            number += 1
        count += len(characters)
        if number > 1 << length:
            raise RefusedError("'code': a context has more words than their lengths allow")
    if len(words) != count or ESCAPE not in words:
        raise RefusedError("'code': a context must list its characters once, the escape among them")
    return words


def _checked_whole(document: dict[str, Any], field: str, least: int, most: int) -> int:
    number: int = whole(document.get(field))
    if type(number) is not int or not least <= number <= most:
        raise RefusedError(f"'{field}' must be an integer from {least} to {most}")
    return number


def _checked_bits(document: dict[str, Any], field: str) -> list[str]:
    listed = document.get(field)
    if not isinstance(listed, list) or len(listed) > MAX_KEPT:
        raise RefusedError(f"'{field}' must list at most {MAX_KEPT} texts of 0 and 1")
    for one in listed:
        if not isinstance(one, str) or len(one) > MAX_TEXT_BITS or one.strip("01"):
            raise RefusedError(f"'{field}' must list at most {MAX_KEPT} texts of 0 and 1")
    return listed
