"""Crosstabs: an attribute that is the pair of two others, read together.

Each of the two parts has an answer of its own, or none; the place of the pair in their joint
table goes through the same code and table as any other place.  The parts share the answer's one
random word, which every device draws: the first takes it as it is, the second its low half.
"""

from __future__ import annotations

from .attributes import (
    Histogram,
    Number,
    Signed,
    checked_attribute_name,
    single_from_document,
)
from .codes import GridCode
from .errors import RefusedError
from .protocol import MAX_VALUES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Union

    from .attributes import Answer, Category, Single
    from .text import Text

    Attribute = Union[Single, "Crosstab", Text]
    Part = Union[Histogram, Category, "Rounded"]


class Rounded(Number):
    """A number as a part of a crosstab: rounded at random to one of a few points of its range.

    >>> screen = Rounded({"name": "screen", "low": 0, "high": 100, "points": 2})
    >>> screen.place(75.0, 0), screen.place(75.0, 1 << 63), screen.place(75.0, 3 << 62)
    (1, 1, 0)
    """

    __slots__ = ("_code", "values")

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(document)
        self._code = GridCode(document.get("points"))  # type: ignore[arg-type]  # checked inside
        self.values = self._code.points

    def place(self, answer: Answer, word: int) -> int:
        """Return the point for an answer, drawn with a 64-bit `word` for someone who has none."""
        if answer is None:
            return (word >> 32) * self.values >> 32
        return self._code.index(answer, self.low, self.high, word)


class Crosstab:
    """The pair of two attributes, whose place is that of the pair in their joint table.

    >>> both = Crosstab({"name": "wifi x theme", "of": [
    ...     {"name": "wifi", "kind": "categorical", "values": [False, True]},
    ...     {"name": "theme", "kind": "categorical", "values": ["light", "dark", "auto"]}]})
    >>> both.answer({"wifi": True, "theme": "dark"}.get)
    [1, 1]
    >>> both.place([1, 1], 0), both.place([1, None], 0xFFFFFFFF), both.values
    (4, 5, 6)
    """

    __slots__ = ("_first", "_second", "name", "values")

    code = "linear"
    signed = False

    def __init__(self, document: dict[str, Any]) -> None:
        self.name = checked_attribute_name(document.get("name"), "name")
        if document.get("reads") is not None:
            checked_attribute_name(document["reads"], "reads")
        for field in ("missing", "unlisted"):
            if document.get(field) is not None:
                raise RefusedError(f"'{field}' has no meaning in a crosstab; its parts may have it")
        parts = document.get("of")
        if not isinstance(parts, list) or len(parts) != 2:
            raise RefusedError("'of' must list the two attributes that a crosstab is made of")
        self._first, self._second = (_part(one, place) for place, one in enumerate(parts))
        self.values = self._first.values * self._second.values
        if self.values > MAX_VALUES:
            raise RefusedError(f"'of' must have at most {MAX_VALUES} places together")

    @property
    def parts(self) -> tuple[Part, Part]:
        """The two attributes that it is the pair of."""
        return self._first, self._second

    @property
    def needs(self) -> list[tuple[str, str]]:
        """What a record must tell: names, and the types of their values."""
        return self._first.needs + self._second.needs

    def answer(self, value_of: Callable[[str], object]) -> list[Answer]:
        """Return the answers of both parts for the values that `value_of` gives for names."""
        return [self._first.answer(value_of), self._second.answer(value_of)]

    def warnings(self, value_of: Callable[[str], object]) -> list[str]:
        """Return what an app's developer should know about the values, without telling them."""
        return self._first.warnings(value_of) + self._second.warnings(value_of)

    def place(self, answers: Sequence[Answer], word: int) -> int:
        """Return the place of the pair; a part without an answer draws with its half of `word`."""
        first, second = answers
        low_half = (word & 0xFFFFFFFF) << 32
        return self._first.place(first, word) * self._second.values + self._second.place(
            second, low_half
        )


def attribute_from_document(document: Any) -> Attribute:
    """Read one attribute of a survey document, refusing anything that is not one."""
    if isinstance(document, dict) and document.get("kind") == "crosstab":
        return Crosstab(document)
    if isinstance(document, dict) and document.get("kind") == "text":
        from .text import Text

        return Text(document)
    return single_from_document(document)


def _part(document: Any, place: int) -> Part:
    try:
        part = single_from_document(document)
        if isinstance(part, Signed):
            raise RefusedError("'kind' must be 'numeric' or 'categorical' in a crosstab")
        if isinstance(part, Number) and not isinstance(part, Histogram):
            return Rounded(document)
        return part
    except RefusedError as refusal:
        raise RefusedError(f"of[{place}]: {refusal}") from None
