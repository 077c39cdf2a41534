"""Attributes: what a survey asks about, and how a device's own value becomes an answer.

An answer is what a code takes: a number inside [low, high], or the place of a value in its list.
Reading is the same for every attribute of a survey, whichever one the coin asks: whether a
device can answer never depends on the coin.  No error here contains the value.
"""

from __future__ import annotations

from bisect import bisect_right
from math import isfinite

from .errors import AnswerError, RefusedError
from .protocol import MAX_VALUES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Union

    Answer = Union[float, int]
    Attribute = Union["Number", "Histogram", "Category", "Signed"]


class Number:
    """A number between `low` and `high`; values outside are moved to the nearer end.

    >>> battery = Number({"name": "battery", "low": 0, "high": 100, "missing": 50})
    >>> battery.read(71), battery.read(130.5), battery.read(None)
    (71.0, 100.0, 50.0)
    """

    __slots__ = ("high", "low", "missing", "name")

    code = "grid"

    def __init__(self, document: dict[str, Any]) -> None:
        self.name = _name(document)
        self.low = _number(document, "low")
        self.high = _number(document, "high")
        if not self.low < self.high:
            raise RefusedError("'low' must be below 'high'")
        if not isfinite(self.high - self.low):
            raise RefusedError("'high' - 'low' is too large")
        self.missing = None if document.get("missing") is None else _number(document, "missing")
        if self.missing is not None and not self.low <= self.missing <= self.high:
            raise RefusedError("'missing' must lie between 'low' and 'high'")

    def read(self, value: object) -> float:
        """Return the answer for `value`, or for a missing one."""
        if type(value) is float and self.low <= value <= self.high:
            return value
        return self._read_any(value)

    def _read_any(self, value: object) -> float:
        if value is None:
            if self.missing is None:
                raise AnswerError(f"{self.name}: no value, and the survey declares no 'missing'")
            return self.missing
        number = _real(value)
        if number is None or number != number or number in (float("inf"), float("-inf")):
            raise AnswerError(f"{self.name}: the value must be a finite number")
        if number < self.low:
            return self.low
        return self.high if number > self.high else float(number)


class Histogram(Number):
    """A number that is counted in bins; the last bin is closed.

    >>> battery = Histogram({"name": "battery", "low": 0, "high": 100, "bins": [0, 20, 100]})
    >>> battery.read(19.9), battery.read(20), battery.read(100), battery.read(-3)
    (0, 1, 1, 0)
    """

    __slots__ = ("edges", "values")

    code = "linear"
    signed = False

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

    def read(self, value: object) -> int:
        """Return the bin of `value`, or of a missing one."""
        place = bisect_right(self.edges, super().read(value)) - 1
        return min(place, self.values - 1)


class Category:
    """One of a list of values: all text, all integers or all booleans.

    >>> theme = Category({"name": "theme", "values": ["light", "dark"], "missing": "light"})
    >>> theme.read("dark"), theme.read(None)
    (1, 0)
    >>> theme.read("purple")
    Traceback (most recent call last):
    ...
    harmony_device.errors.AnswerError: theme: the value is not one of the survey's 'values'
    """

    __slots__ = ("_kind", "_places", "missing", "name", "values")

    code = "linear"
    signed = False

    def __init__(self, document: dict[str, Any]) -> None:
        self.name = _name(document)
        values = document.get("values")
        if not isinstance(values, list) or not 2 <= len(values) <= MAX_VALUES:
            raise RefusedError(f"'values' must list between 2 and {MAX_VALUES} values")
        self._kind = type(values[0])
        if self._kind not in (str, int, bool) or {*map(type, values)} != {self._kind}:
            raise RefusedError("'values' must be all text, all integers or all booleans")
        self._places = {value: place for place, value in enumerate(values)}
        self.values = len(values)
        if len(self._places) != self.values:
            raise RefusedError("'values' lists the same value twice")
        self.missing = document.get("missing")
        if self.missing is not None and self._place(self.missing) is None:
            raise RefusedError("'missing' must be one of 'values'")

    def read(self, value: object) -> int:
        """Return the place of `value`, or of the value that stands for a missing one."""
        if type(value) is self._kind:
            place = self._places.get(value)
        elif value is None:
            if self.missing is None:
                raise AnswerError(f"{self.name}: no value, and the survey declares no 'missing'")
            place = self._place(self.missing)
        else:
            place = self._place(value)
        if place is None:
            raise AnswerError(f"{self.name}: the value is not one of the survey's 'values'")
        return place

    def _place(self, value: object) -> int | None:
        """Return the place of a value of the right kind, where 1 is not True and not 1.0."""
        if self._kind is str and isinstance(value, str):
            return self._places.get(str.__str__(value))
        if self._kind is bool and isinstance(value, bool):
            return self._places.get(value)
        if self._kind is int and hasattr(value, "__index__") and not isinstance(value, bool):
            return self._places.get(value.__index__())
        return None


class Signed(Category):
    """A level of a categorical attribute and a sign: what a training asks of a gradient.

    The answer is a number that a step computes: level + K * (sign < 0), where K is the least
    power of two that is at least the number of levels.

    >>> colour = Signed({"name": "colour", "values": ["red", "green", "blue"]})
    >>> colour.read(2), colour.read(4 + 2), colour.values
    (2, 6, 7)
    """

    __slots__ = ("levels",)

    signed = True

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(document)
        if self.missing is not None:
            raise RefusedError("'missing' has no meaning in a signed attribute")
        self.levels = self.values
        self.values = (1 << (self.levels - 1).bit_length()) + self.levels

    def read(self, value: object) -> int:
        """Return the answer that a training's step computed, or raise AnswerError."""
        size = self.values - self.levels
        if type(value) is int and 0 <= value < 2 * size and value % size < self.levels:
            return value
        raise AnswerError(f"{self.name}: the value is not a level with a sign")


def attribute_from_document(document: Any) -> Attribute:
    """Read one attribute of a survey document, refusing anything that is not one."""
    if not isinstance(document, dict):
        raise RefusedError("must be an object with 'name' and 'kind'")
    kind = document.get("kind")
    if kind == "numeric":
        return Number(document) if document.get("bins") is None else Histogram(document)
    if kind == "categorical":
        return Category(document)
    if kind == "signed":
        return Signed(document)
    raise RefusedError("'kind' must be 'numeric', 'categorical' or 'signed'")


def _real(value: object) -> Any:
    """Return a real number of any type that calls itself one, else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return value
    from numbers import Real

    return value if isinstance(value, Real) else None


def _name(document: dict[str, Any]) -> str:
    name = document.get("name")
    if not isinstance(name, str) or not name.strip() or len(name) > 200:
        raise RefusedError("'name' must be a text of 1 to 200 characters")
    return name


def _number(document: dict[str, Any], field: str) -> float:
    return checked_number(document.get(field), field)


def checked_number(number: object, field: str) -> float:
    """Return a finite number of a document, or raise RefusedError."""
    if type(number) is float:
        if isfinite(number):
            return number
    elif type(number) is int and abs(number) <= 1 << 1000:
        return float(number)
    raise RefusedError(f"'{field}' must be a finite number")
