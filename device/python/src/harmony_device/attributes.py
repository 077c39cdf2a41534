"""Attributes: what a survey asks about, and how a device's own value becomes an answer.

An answer is what a code takes: a number inside [low, high], the place of a value in its list, or
None, for which the code draws an index at random.  Every value has an answer: one that is not
listed answers as `unlisted`, one that is missing or unusable as `missing`, if the survey names
those, and else at random.  So whether a device answers never depends on what it holds.
`crosstab` has the attribute that is a pair of these.
"""

from __future__ import annotations

from bisect import bisect_right
from math import isfinite

from .errors import RefusedError
from .fields import checked_number, is_well_formed
from .protocol import MAX_ATTRIBUTE_NAME, MAX_SAFE_INTEGER, MAX_VALUES
from .record import BOOLEAN, DERIVED, NUMBER, TEXT
from .strict_json import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Union

    Answer = Union[float, int, None]
    Single = Union["Number", "Histogram", "Category", "Signed"]

NO_VALUE = "no value, or none that is a {type}"
NOT_LISTED = "the value is not one of the survey's 'values'"

_UNLISTED, _MISSING = -1, -2


class Reading:
    """An attribute that reads one value, by a name that others may read as well."""

    __slots__ = ("name", "reads")

    type: str

    def __init__(self, document: dict[str, Any]) -> None:
        self.name = checked_attribute_name(document.get("name"), "name")
        reads = document.get("reads")
        self.reads = self.name if reads is None else checked_attribute_name(reads, "reads")

    @property
    def needs(self) -> list[tuple[str, str]]:
        """What a record must tell: a name, and the type of its value."""
        return [(self.reads, self.type)]

    def answer(self, value_of: Callable[[str], object]) -> Answer:
        """Return the answer for the value that `value_of` gives for a name."""
        return self.read(value_of(self.reads))

    def warnings(self, value_of: Callable[[str], object]) -> list[str]:
        """Return what an app's developer should know about the value, without telling it."""
        warning = self.warning(value_of(self.reads))
        return [] if warning is None else [f"{self.reads}: {warning}"]

    def read(self, value: object) -> Answer:
        """Return the answer for `value`."""
        raise NotImplementedError

    def warning(self, value: object) -> str | None:
        """Return what is wrong with `value`, without telling it."""
        raise NotImplementedError


class Number(Reading):
    """A number between `low` and `high`; values outside are moved to the nearer end.

    >>> battery = Number({"name": "battery", "low": 0, "high": 100, "missing": 50})
    >>> battery.read(71), battery.read(130.5), battery.read(None), battery.read("full")
    (71.0, 100.0, 50.0, 50.0)
    >>> Number({"name": "battery", "low": 0, "high": 100}).read(None) is None
    True
    """

    __slots__ = ("high", "low", "missing")

    code = "grid"
    signed = False
    type = NUMBER

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(document)
        self.low = _number(document, "low")
        self.high = _number(document, "high")
        if not self.low < self.high:
            raise RefusedError("'low' must be below 'high'")
        if not isfinite(self.high - self.low):
            raise RefusedError("'high' - 'low' is too large")
        self.missing = None if document.get("missing") is None else _number(document, "missing")
        if self.missing is not None and not self.low <= self.missing <= self.high:
            raise RefusedError("'missing' must lie between 'low' and 'high'")
        if document.get("unlisted") is not None:
            raise RefusedError("'unlisted' has no meaning for a number; it is moved into its range")

    def read(self, value: object) -> Answer:
        """Return the answer for `value`."""
        if type(value) is float and self.low <= value <= self.high:  # what most values are
            return value
        number = _finite(value)
        if number is None:
            return self.missing
        return self.low if number < self.low else self.high if number > self.high else number

    def warning(self, value: object) -> str | None:
        """Return what is wrong with `value`, without telling it."""
        return NO_VALUE.format(type=self.type) if _finite(value) is None else None


class Histogram(Number):
    """A number that is counted in bins; the last bin is closed.

    >>> battery = Histogram({"name": "battery", "low": 0, "high": 100, "bins": [0, 20, 100]})
    >>> battery.read(19.9), battery.read(20), battery.read(100), battery.read(-3)
    (0, 1, 1, 0)
    """

    __slots__ = ("edges", "values")

    code = "linear"

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(document)
        edges = document["bins"]
        if not isinstance(edges, list) or not 3 <= len(edges) <= MAX_VALUES + 1:
            raise RefusedError(f"'bins' must list between 3 and {MAX_VALUES + 1} edges")
        self.edges = [checked_number(edge, "bins") for edge in edges]
        if any(left >= right for left, right in zip(self.edges, self.edges[1:])):
            raise RefusedError("'bins' must list its edges in rising order")
        if (self.edges[0], self.edges[-1]) != (self.low, self.high):
            raise RefusedError("'bins' must start at 'low' and end at 'high'")
        self.values = len(edges) - 1

    def read(self, value: object) -> Answer:
        """Return the bin of `value`."""
        number = super().read(value)
        if number is None:
            return None
        return min(bisect_right(self.edges, number) - 1, self.values - 1)

    def place(self, answer: Answer, word: int) -> int:
        """Return the place of an answer, drawn with a 64-bit `word` for someone who has none."""
        return (word >> 32) * self.values >> 32 if answer is None else answer  # type: ignore[return-value]  # a place


class Category(Reading):
    """One of a list of values: all text, all integers or all booleans.

    >>> theme = Category({"name": "theme", "values": ["light", "dark", "other"],
    ...                   "missing": "light", "unlisted": "other"})
    >>> theme.read("dark"), theme.read("purple"), theme.read(None), theme.read(3)
    (1, 2, 0, 0)
    """

    __slots__ = ("_exact", "_listed", "_missing", "_places", "_unlisted", "type", "values")

    code = "linear"
    signed = False

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(document)
        values = document.get("values")
        if not isinstance(values, list) or not 2 <= len(values) <= MAX_VALUES:
            raise RefusedError(f"'values' must list between 2 and {MAX_VALUES} values")
        self.type, self._listed = _checked_values(values)
        self._exact = type(self._listed[0])
        self.values = len(self._listed)
        # Places are given when one is asked for: a document that is refused has no need of them.
        self._places: dict[Any, Any] = dict.fromkeys(self._listed)
        if len(self._places) != self.values:
            raise RefusedError("'values' lists the same value twice")
        self._unlisted = self._stand_in(document, "unlisted")
        self._missing = self._stand_in(document, "missing")

    def read(self, value: object) -> Answer:
        """Return the place of `value`, or of the value that stands for it."""
        place = self._places.get(value) if type(value) is self._exact else None
        if place is None:  # which few values are
            place = self._place(value)
        if place >= 0:
            return place
        return self._unlisted if place == _UNLISTED else self._missing

    def warning(self, value: object) -> str | None:
        """Return what is wrong with `value`, without telling it."""
        place = self._place(value)
        if place >= 0:
            return None
        return NOT_LISTED if place == _UNLISTED else NO_VALUE.format(type=self.type)

    def place(self, answer: Answer, word: int) -> int:
        """Return the place of an answer, drawn with a 64-bit `word` for someone who has none."""
        return (word >> 32) * self.values >> 32 if answer is None else answer  # type: ignore[return-value]  # a place

    def _place(self, value: object) -> int:
        """Return the place of a value, or why it has none."""
        told = self._told(value)
        if told is None:
            return _MISSING
        if self._listed:
            self._places = {value: place for place, value in enumerate(self._listed)}
            self._listed = []
        place: int = self._places.get(told, _UNLISTED)
        return place

    def _told(self, value: object) -> object:
        """Return a value as it would be listed, where 1 is not True and not "1"; else None."""
        if self.type == TEXT:
            return str.__str__(value) if issubclass(type(value), str) else None  # hidden by an Enum
        if self.type == BOOLEAN:
            return value if type(value) is bool else None
        return _finite(value)

    def _stand_in(self, document: dict[str, Any], field: str) -> int | None:
        if document.get(field) is None:
            return None
        told = self._told(document[field])
        if told is None or told not in self._places:
            raise RefusedError(f"'{field}' must be one of 'values'")
        return self._listed.index(told)


class Signed(Category):
    """A level of a categorical attribute and a sign: what a training asks of a gradient.

    The answer is a number that a step computes: level + K * (sign < 0), where K is the least
    power of two that is at least the number of levels.

    >>> colour = Signed({"name": "colour", "values": ["red", "green", "blue"]})
    >>> colour.read(2), colour.read(4 + 2), colour.values
    (2, 6, 7)
    >>> [colour.place(None, draw << 61) for draw in range(0, 8, 2)]
    [0, 1, 4, 5]
    """

    __slots__ = ("levels",)

    signed = True

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(document)
        for field in ("missing", "unlisted"):
            if document.get(field) is not None:
                raise RefusedError(f"'{field}' has no meaning in a signed attribute")
        self.type = DERIVED
        self.levels = self.values
        self.values = (1 << (self.levels - 1).bit_length()) + self.levels

    def read(self, value: object) -> Answer:
        """Return the answer that a training's step computed."""
        size = self.values - self.levels
        if type(value) is int and 0 <= value < 2 * size and value % size < self.levels:
            return value
        return None

    def place(self, answer: Answer, word: int) -> int:
        """Return the place of an answer; someone who has none draws a level and a fair sign."""
        if answer is not None:
            return answer  # type: ignore[return-value]  # a place
        number = (word >> 32) * 2 * self.levels >> 32
        return number if number < self.levels else number - self.levels + self.values - self.levels


def single_from_document(document: Any) -> Single:
    """Read an attribute that is no crosstab, refusing anything else."""
    if not isinstance(document, dict):
        raise RefusedError("must be an object with 'name' and 'kind'")
    kind = document.get("kind")
    if kind == "numeric":
        return Number(document) if document.get("bins") is None else Histogram(document)
    if kind == "categorical":
        return Category(document)
    if kind == "signed":
        return Signed(document)
    raise RefusedError("'kind' must be 'numeric', 'categorical', 'signed', 'crosstab' or 'text'")


def _checked_values(values: list[Any]) -> tuple[str, list[Any]]:
    """Return the type that all values have, and the values."""
    if all(isinstance(value, str) for value in values):
        if not all(map(is_well_formed, values)):
            raise RefusedError("'values' holds text that is not Unicode: half of a surrogate pair")
        return TEXT, values
    if all(isinstance(value, bool) for value in values):
        return BOOLEAN, values
    values = [whole(value) for value in values]
    if not all(type(value) is int and abs(value) <= MAX_SAFE_INTEGER for value in values):
        raise RefusedError("'values' must be all text, all integers or all booleans")
    return NUMBER, values


def _finite(value: object) -> float | None:
    """Return a finite number of any type that calls itself one, else None.

    Types are asked, not values: an object may claim to be of any class, or raise when asked.
    """
    if type(value) is not float:
        try:
            if not _is_number(type(value)):
                return None
            value = float(value)  # type: ignore[arg-type]  # a number
        except Exception:  # an integer beyond all floats; a type that only looks like a number
            return None
    return value if isfinite(value) else None


def _is_number(kind: type) -> bool:
    if issubclass(kind, (int, float)):
        return kind is not bool
    from numbers import Real

    return issubclass(kind, Real)


def checked_attribute_name(name: object, field: str) -> str:
    """Return the name of an attribute, or of what it reads, or raise RefusedError."""
    if (
        not isinstance(name, str)
        or not 1 <= len(name) <= MAX_ATTRIBUTE_NAME
        or not is_well_formed(name)
    ):
        raise RefusedError(f"'{field}' must be a text of 1 to {MAX_ATTRIBUTE_NAME} characters")
    return name


def _number(document: dict[str, Any], field: str) -> float:
    return checked_number(document.get(field), field)
