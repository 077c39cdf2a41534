"""Attributes: the columns a survey asks about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from numbers import Real
from typing import Any

from harmony_device.fields import is_well_formed
from harmony_device.protocol import MAX_ATTRIBUTE_NAME, MAX_SAFE_INTEGER, MAX_VALUES
from harmony_device.record import BOOLEAN, NUMBER, TEXT

from .errors import SurveyError
from .finite import is_finite
from .near_names import did_you_mean
from .numerals import numerals
from .wording import checked_words

Value = str | int | bool
MAX_WEIGHT = 1 << 16


@dataclass(frozen=True)
class Numeric:
    """A number between `low` and `high`; the survey estimates its mean.

    With `bins` (edges from low to high, or a number of equal bins) the survey estimates its
    histogram instead, as the paper remarks in section 2.  A device without a usable value
    answers `missing`, or a random point of the range where that is not named; numbers outside
    the range answer its nearer end.  `weight` asks the attribute more often than others.
    `question` says to people what is asked of them, and why.  `reads` names what is read of a
    record or a table, where that is not the attribute's own name.

    >>> Numeric("battery", 0, 100)
    Numeric(name='battery', low=0.0, high=100.0, bins=None, weight=1, missing=None, ...)
    >>> Numeric("battery", 0, 100, bins=[0, 20, 100]).values
    ('[0, 20)', '[20, 100]')
    """

    name: str
    low: float
    high: float
    bins: Sequence[float] | int | None = None
    weight: int = 1
    missing: float | None = None
    question: str | None = None
    reads: str | None = None

    def __post_init__(self) -> None:
        check_naming(self)
        check_range(self)
        if self.bins is not None:
            edges = _edges(self.name, self.low, self.high, self.bins)
            object.__setattr__(self, "bins", edges)

    @property
    def source(self) -> str:
        """What it reads, of a record or a table."""
        return self.name if self.reads is None else self.reads

    @property
    def asks(self) -> str:
        """The type of the value that it reads."""
        return NUMBER

    @property
    def edges(self) -> tuple[float, ...]:
        """The bin edges; empty when the attribute asks for a mean."""
        return () if self.bins is None else tuple(self.bins)  # type: ignore[arg-type]  # edges by now

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The names of the bins, the last of which is closed; empty without bins."""
        last = len(self.edges) - 2
        return tuple(
            f"[{low}, {high}{']' if place == last else ')'}"
            for place, (low, high) in enumerate(pairwise(numerals(self.edges)))
        )

    def to_document(self) -> dict[str, Any]:
        document: dict[str, Any] = {"name": self.name, "kind": "numeric"}
        document |= {"low": self.low, "high": self.high}
        if self.edges:
            document["bins"] = list(self.edges)
        return document | options_of(self)


@dataclass(frozen=True)
class Categorical:
    """One of a fixed list of values; the survey estimates how often each occurs.

    A device whose value is not listed answers `unlisted`, and one without a usable value
    answers `missing`; where those are not named, such devices answer any of the values at
    random.  `weight` asks more often, `question` says to people what is asked, and why, and
    `reads` names what is read, where that is not the attribute's own name.

    >>> Categorical("theme", ["light", "dark", "other"], unlisted="other").values
    ('light', 'dark', 'other')
    """

    name: str
    values: Sequence[Value]
    weight: int = 1
    missing: Value | None = None
    unlisted: Value | None = None
    question: str | None = None
    reads: str | None = None

    def __post_init__(self) -> None:
        check_naming(self)
        if isinstance(self.values, str) or not isinstance(self.values, Iterable):
            raise SurveyError(f"{self.name}: 'values' must be a list")
        values = tuple(_plain(value) for value in self.values)
        if len(values) < 2:
            raise SurveyError(
                f"{self.name}: 'values' must list at least two values; "
                "an attribute with one value needs no asking"
            )
        if len(values) > MAX_VALUES:
            raise SurveyError(f"{self.name}: 'values' may list at most {MAX_VALUES} values")
        kinds = {type(value) for value in values}
        if len(kinds) != 1 or not kinds <= {str, int, bool}:
            raise SurveyError(
                f"{self.name}: 'values' must be all text, all integers or all booleans"
            )
        if len(set(values)) != len(values):
            raise SurveyError(f"{self.name}: 'values' lists the same value twice")
        object.__setattr__(self, "values", values)
        if kinds == {int} and max(map(abs, values)) > MAX_SAFE_INTEGER:
            raise SurveyError(f"{self.name}: 'values' must lie within 2^53; use text for ids")
        if kinds == {str} and not all(map(is_well_formed, values)):
            raise SurveyError(f"{self.name}: a text in 'values' holds half of a surrogate pair")
        for field in ("missing", "unlisted"):
            stand_in = _plain(getattr(self, field))
            object.__setattr__(self, field, stand_in)
            if stand_in is not None and (type(stand_in) not in kinds or stand_in not in values):
                raise SurveyError(f"{self.name}: '{field}' must be one of 'values'")

    @property
    def source(self) -> str:
        """What it reads, of a record or a table."""
        return self.name if self.reads is None else self.reads

    @property
    def asks(self) -> str:
        """The type of the value that it reads."""
        return {str: TEXT, int: NUMBER, bool: BOOLEAN}[type(self.values[0])]

    def to_document(self) -> dict[str, Any]:
        document = {"name": self.name, "kind": "categorical", "values": list(self.values)}
        return document | options_of(self)


@dataclass(frozen=True)
class Signed(Categorical):
    """A level of a categorical attribute together with a sign, for the gradients of a training.

    A device's number is `level + size * (sign < 0)`; the sign comes from rounding a number in
    [-1, 1] at random.  What is estimated, for each level, is the mean of sign times indicator.

    >>> Signed("colour", ["red", "green", "blue"]).size
    4
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("missing", "unlisted"):
            if getattr(self, field) is not None:
                raise SurveyError(f"{self.name}: '{field}' has no meaning in a signed attribute")

    @property
    def size(self) -> int:
        """The least power of two that is at least the number of levels."""
        return 1 << (len(self.values) - 1).bit_length()

    def to_document(self) -> dict[str, Any]:
        return super().to_document() | {"kind": "signed"}


Attribute = Numeric | Categorical
"""An attribute that reads one value; `questions` has what a survey can ask besides."""

Kinds = Mapping[str, tuple[Callable[..., Any], set[str], set[str]]]
"""For each kind what builds it, the fields that it needs and those that it may have."""


def Boolean(  # noqa: N802  reads as an attribute kind
    name: str,
    weight: int = 1,
    missing: bool | None = None,
    question: str | None = None,
    reads: str | None = None,
) -> Categorical:
    """A yes-or-no attribute: the categorical with values False and True.

    >>> Boolean("wifi").values
    (False, True)
    """
    return Categorical(name, (False, True), weight, missing, question=question, reads=reads)


def Integer(  # noqa: N802
    name: str,
    low: int,
    high: int,
    weight: int = 1,
    missing: int | None = None,
    unlisted: int | None = None,
    question: str | None = None,
    reads: str | None = None,
) -> Categorical:
    """An integer with few values, estimated as a histogram: the categorical low..high.

    >>> Integer("sim cards", 0, 2).values
    (0, 1, 2)
    """
    for edge, number in (("low", low), ("high", high)):
        if type(number) is not int:
            raise SurveyError(f"{name}: '{edge}' must be an integer")
    if high - low >= MAX_VALUES:
        raise SurveyError(f"{name}: more than {MAX_VALUES} integers; use Numeric with bins")
    values = tuple(range(low, high + 1))
    return Categorical(name, values, weight, missing, unlisted, question, reads)


SHARED = {"weight", "missing", "question", "reads"}
"""The optional fields of every kind that a person writes."""

KINDS: Kinds = {
    "numeric": (Numeric, {"name", "low", "high"}, {"bins", *SHARED}),
    "categorical": (Categorical, {"name", "values"}, {"unlisted", *SHARED}),
    "boolean": (Boolean, {"name"}, SHARED),
    "signed": (Signed, {"name", "values"}, {"weight"}),
    "integer": (Integer, {"name", "low", "high"}, {"unlisted", *SHARED}),
}


def attribute_from_document(document: Any, where: str, kinds: Kinds = KINDS) -> Any:
    """Read an attribute as it stands in a survey file; `where` names it in errors."""
    if not isinstance(document, dict):
        raise SurveyError(f"{where}: must be a mapping with 'name' and 'kind'")
    fields = {key: value for key, value in document.items() if key not in ("coin", "mechanisms")}
    kind = fields.pop("kind", None)
    if not isinstance(kind, str) or kind not in kinds:
        near = did_you_mean(kind, kinds)
        raise SurveyError(f"{where}: 'kind' must be one of {', '.join(kinds)}{near}")
    build, needed, optional = kinds[kind]
    if missing := needed - fields.keys():
        near = did_you_mean(min(missing), fields.keys() - needed - optional)
        raise SurveyError(f"{where}: '{min(missing)}' is missing{near}")
    if unknown := fields.keys() - needed - optional:
        field = min(map(str, unknown))
        near = did_you_mean(field, needed | optional)
        raise SurveyError(f"{where}: unknown field '{field}'{near}")
    return build(**fields)


def check_naming(attribute: Any) -> None:
    """Refuse a name, a name that is read, words or a weight that are none."""
    _check_name(attribute.name, "name")
    if getattr(attribute, "reads", None) is not None:
        _check_name(attribute.reads, "reads")
    checked_words(attribute.question, f"{attribute.name}: 'question'")
    weight = attribute.weight
    if type(weight) is not int or not 1 <= weight <= MAX_WEIGHT:
        raise SurveyError(f"{attribute.name}: 'weight' must be an integer from 1 to {MAX_WEIGHT}")


def check_range(attribute: Any) -> None:
    """Refuse a range that is none, or does not hold `missing`; write its ends as floats."""
    low, high = _number(attribute, "low"), _number(attribute, "high")
    if not low < high:
        raise SurveyError(f"{attribute.name}: 'low' must be below 'high'")
    if not is_finite(high - low):
        raise SurveyError(f"{attribute.name}: 'high' - 'low' is too large; rescale the attribute")
    object.__setattr__(attribute, "low", low)
    object.__setattr__(attribute, "high", high)
    if attribute.missing is not None:
        missing = _number(attribute, "missing")
        object.__setattr__(attribute, "missing", missing)
        if not low <= missing <= high:
            raise SurveyError(f"{attribute.name}: 'missing' must lie between 'low' and 'high'")


def options_of(attribute: Any) -> dict[str, Any]:
    """Return the fields of an attribute's document that are written only if they say something."""
    options: dict[str, Any] = {} if attribute.weight == 1 else {"weight": attribute.weight}
    for field in ("missing", "unlisted", "question", "reads"):
        given = getattr(attribute, field, None)
        if given is not None:
            options[field] = given
    return options


def _check_name(name: object, field: str) -> None:
    if not isinstance(name, str) or not name.strip() or len(name) > MAX_ATTRIBUTE_NAME:
        raise SurveyError(
            f"attribute: '{field}' must be a text of 1 to {MAX_ATTRIBUTE_NAME} characters"
        )
    if not is_well_formed(name):
        raise SurveyError(f"attribute: '{field}' holds half of a surrogate pair")


def _number(attribute: Any, edge: str) -> float:
    number = getattr(attribute, edge)
    if isinstance(number, bool) or not isinstance(number, Real):
        raise SurveyError(f"{attribute.name}: '{edge}' must be a number")
    if not is_finite(number):
        raise SurveyError(f"{attribute.name}: '{edge}' must be finite")
    return float(number)


def _plain(value: Any) -> Any:
    """Turn a NumPy scalar into the Python value it stands for."""
    return value.item() if hasattr(value, "item") else value


def _edges(name: str, low: float, high: float, bins: object) -> tuple[float, ...]:
    if isinstance(bins, int) and not isinstance(bins, bool):
        if not 2 <= bins <= MAX_VALUES:
            raise SurveyError(f"{name}: 'bins' must be at least 2")
        bins = (*(low + (high - low) * place / bins for place in range(bins)), high)
    if isinstance(bins, str) or not isinstance(bins, Iterable):
        raise SurveyError(f"{name}: 'bins' must be a list of edges, or a number of bins")
    given = tuple(bins)
    if not all(isinstance(edge, Real) and is_finite(edge) for edge in given):
        raise SurveyError(f"{name}: every edge in 'bins' must be a finite number")
    edges = tuple(float(edge) for edge in given)
    if len(edges) < 3 or any(left >= right for left, right in pairwise(edges)):
        raise SurveyError(f"{name}: 'bins' must list at least three edges in rising order")
    if (edges[0], edges[-1]) != (low, high):
        raise SurveyError(f"{name}: 'bins' must start at 'low' and end at 'high'")
    return edges
