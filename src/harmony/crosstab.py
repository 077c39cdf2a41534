"""Crosstabs: an attribute that is the pair of two others, to learn how they go together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

from harmony_device.protocol import MAX_VALUES

from .attributes import Attribute, Categorical, Numeric, Signed, check_naming, options_of
from .errors import SurveyError
from .near_names import did_you_mean
from .numerals import numerals

MOST_POINTS = 1 << 16


@dataclass(frozen=True)
class Rounded(Numeric):
    """A number as a part of a crosstab: rounded at random to one of a few points of its range.

    The mean of the points is the number itself, so a joint table with them gives the mean of
    the number in each group.

    >>> Rounded("battery", 0, 100, points=3).values
    ('0', '50', '100')
    """

    points: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.points) is not int or not 2 <= self.points <= MOST_POINTS:
            raise SurveyError(f"{self.name}: 'points' must be an integer from 2 to {MOST_POINTS}")

    @property
    def grid(self) -> tuple[float, ...]:
        """The points, from low to high."""
        last, span = self.points - 1, self.high - self.low
        return tuple(self.low + span * place / last for place in range(self.points))

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The points in words."""
        return numerals(self.grid)

    def to_document(self) -> dict[str, Any]:
        return super().to_document() | {"points": self.points}


@dataclass(frozen=True)
class Crosstab:
    """The pair of two attributes; the survey estimates their joint table.

    Each is the name of another attribute of the survey, or an attribute that is asked here
    alone.  They have values or bins; one may be a plain number, and then the mean of that
    number is estimated in each group of the other.  `missing` and `unlisted` are those of the
    two.  `weight` asks the pair more often than others, and `question` says to people what is
    asked, and why.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", epsilon=2.0, attributes=[
    ...     hm.Boolean("wifi"), hm.Categorical("theme", ["light", "dark"]),
    ...     hm.Crosstab("wifi", "theme")])
    >>> survey.attributes[2].name, survey.attributes[2].values[:2]
    ('wifi x theme', ((False, 'light'), (False, 'dark')))
    """

    first: str | Attribute
    second: str | Attribute
    name: str = ""
    weight: int = 1
    question: str | None = None

    def __post_init__(self) -> None:
        for part in (self.first, self.second):
            if not isinstance(part, str | Numeric | Categorical) or isinstance(part, Signed):
                raise SurveyError(
                    "crosstab: each part must be an attribute's name, or an attribute with "
                    "values, bins or a range"
                )
        if not self.name:
            object.__setattr__(self, "name", f"{_name(self.first)} x {_name(self.second)}")
        check_naming(self)
        if not isinstance(self.first, str) and not isinstance(self.second, str):
            self._check_parts()

    @property
    def parts(self) -> tuple[Attribute, Attribute]:
        """The two attributes, once the survey has told whose names these are."""
        first, second = self.first, self.second
        if isinstance(first, str) or isinstance(second, str):
            raise SurveyError(f"{self.name}: a crosstab of names is part of a survey that has them")
        return first, second

    def resolved(self, attributes: Mapping[str, Any]) -> Crosstab:
        """Return the crosstab of the attributes that it names; a number's place is the second.

        `attributes` are the survey's, by name.
        """
        first, second = (
            as_part(self._found(part, attributes)) for part in (self.first, self.second)
        )
        if isinstance(first, Rounded) and not isinstance(second, Rounded):
            first, second = second, first
        return replace(self, first=first, second=second)

    def _found(self, part: str | Attribute, attributes: Mapping[str, Any]) -> Any:
        if not isinstance(part, str):
            return part
        found = attributes.get(part)
        if found is None or isinstance(found, Crosstab | Signed):
            near = did_you_mean(part, attributes)
            raise SurveyError(
                f"{self.name}: the survey has no attribute {part!r} that a crosstab can be "
                f"made of{near}"
            )
        return found

    def _check_parts(self) -> None:
        first, second = self.parts
        if isinstance(first, Rounded) and isinstance(second, Rounded):
            raise SurveyError(
                f"{self.name}: a crosstab of two numbers needs 'bins' in one of them: "
                f'Crosstab(Numeric("{first.name}", {first.low:g}, {first.high:g}, bins=4), ...)'
            )
        if first.source == second.source:
            raise SurveyError(f"{self.name}: both parts read {first.source!r}")
        if len(first.values) * len(second.values) > MAX_VALUES:
            raise SurveyError(
                f"{self.name}: {len(first.values):,} times {len(second.values):,} places are more "
                f"than {MAX_VALUES:,}; use fewer values or bins"
            )

    @cached_property
    def values(self) -> tuple[tuple[Any, Any], ...]:
        """The pairs of values, the second changing fastest."""
        first, second = self.parts
        return tuple(product(first.values, second.values))

    def to_document(self) -> dict[str, Any]:
        document: dict[str, Any] = {"name": self.name, "kind": "crosstab"}
        document["of"] = [
            part if isinstance(part, str) else part.to_document()
            for part in (self.first, self.second)
        ]
        return document | options_of(self)


def as_part(attribute: Any) -> Attribute:
    """Return an attribute as a crosstab asks it: without weight and words, a number rounded."""
    if is_number(attribute) and not isinstance(attribute, Rounded):
        one = attribute
        return Rounded(one.name, one.low, one.high, missing=one.missing, reads=one.reads)
    part: Attribute = replace(attribute, weight=1, question=None)
    return part


def is_number(attribute: Any) -> bool:
    """Whether an attribute is a number whose mean, or whole distribution, is asked."""
    return hasattr(attribute, "low") and not getattr(attribute, "edges", ())


def _name(part: str | Attribute) -> str:
    return part if isinstance(part, str) else part.name
