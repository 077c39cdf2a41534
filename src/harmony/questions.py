"""Questions: all that a survey can ask, as people write it, and the attributes that devices answer.

A question is an attribute, or a distribution, which devices answer as several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from harmony_device.protocol import MAX_ATTRIBUTES

from .attributes import KINDS, SHARED, Attribute, Kinds, Signed, attribute_from_document
from .crosstab import Crosstab, Rounded, as_part, is_number
from .distribution import Distribution
from .errors import SurveyError
from .text import STEP_FIELDS, TextPlaces

Part = Attribute | TextPlaces
"""What reads one value."""

Asked = Part | Crosstab
"""What devices are asked: each has a mechanism of its own."""

Question = Asked | Distribution
"""What people ask: devices answer a distribution as several attributes."""


def question_from_document(document: Any, where: str) -> Any:
    """Read a question as it stands in a survey file; `where` names it in errors."""
    return attribute_from_document(document, where, {**_KINDS, "crosstab": _crosstab_kind(where)})


_KINDS: Kinds = {
    **KINDS,
    "distribution": (Distribution, {"name", "low", "high"}, {"bins", "step", *SHARED}),
    "text": (TextPlaces.of, {"name", *STEP_FIELDS}, {"missing", "question", "reads"}),
}


def _crosstab_kind(where: str) -> tuple[Callable[..., Any], set[str], set[str]]:
    def build(of: Any, **fields: Any) -> Crosstab:
        if not isinstance(of, list) or len(of) != 2:
            raise SurveyError(f"{where}: 'of' must list two attributes, or their names")
        parts = [_part(one, f"{where}.of[{place}]") for place, one in enumerate(of)]
        return Crosstab(*parts, **fields)

    return build, {"of"}, {"name", "weight", "question"}


def _part(part: Any, where: str) -> Any:
    """Read a part of a crosstab: an attribute's name, or an attribute that is asked here alone."""
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and "points" in part:
        rounded = (Rounded, {"name", "low", "high", "points"}, {"missing", "reads"})
        return attribute_from_document(part, where, {"numeric": rounded})
    return attribute_from_document(part, where)


def checked_questions(questions: object, crosstabs: object = None) -> tuple[Question, ...]:
    """Return what a survey asks, with crosstabs that know their parts, or refuse it.

    >>> from harmony import Boolean, Integer
    >>> asked = checked_questions([Boolean("wifi"), Integer("sims", 0, 2)], crosstabs="all")
    >>> [one.name for one in asked]
    ['wifi', 'sims', 'wifi x sims']
    """
    if not isinstance(questions, Iterable) or isinstance(questions, str | dict):
        raise SurveyError("'attributes' must be a list of attributes")
    asked = tuple(questions)
    if not all(isinstance(one, Question) for one in asked):
        raise SurveyError(
            "'attributes' must hold Numeric, Categorical, Distribution and Crosstab attributes only"
        )
    asked += tuple(_pairs(asked, crosstabs))
    (name, times), *_ = Counter(one.name for one in asked).most_common(1) or [("", 0)]
    if times > 1:
        raise SurveyError(f"'attributes': two attributes are called {name!r}")
    by_name = {one.name: one for one in asked}
    return tuple(one.resolved(by_name) if isinstance(one, Crosstab) else one for one in asked)


def attributes_of(questions: Sequence[Question]) -> tuple[Asked, ...]:
    """Return what devices are asked, in the order of the questions."""
    attributes: list[Asked] = []
    for one in questions:
        attributes += one.levels if isinstance(one, Distribution) else [one]
    if not 1 <= len(attributes) <= MAX_ATTRIBUTES:
        raise SurveyError(f"'attributes' must list between 1 and {MAX_ATTRIBUTES} attributes")
    (name, times), *_ = Counter(one.name for one in attributes).most_common(1)
    if times > 1:
        raise SurveyError(f"'attributes': {name!r} is a distribution's level and an attribute")
    asked: dict[str, str] = {}
    for part in (part for one in attributes for part in parts_of(one)):
        if asked.setdefault(part.source, part.asks) != part.asks and not isinstance(part, Signed):
            raise SurveyError(
                f"{part.name}: reads {part.source!r} as a {part.asks}, and another attribute reads "
                f"it as a {asked[part.source]}; no device has both"
            )
    return tuple(attributes)


def parts_of(attribute: Asked) -> tuple[Part, ...]:
    """Return what an attribute reads: itself, or a crosstab's two parts."""
    return attribute.parts if isinstance(attribute, Crosstab) else (attribute,)


def definitions_of(questions: Sequence[Question]) -> list[dict[str, Any]]:
    """Return questions as people write them: a crosstab by the names of its parts, if it can be."""
    by_name = {one.name: one for one in questions if not isinstance(one, Crosstab)}
    definitions = []
    for one in questions:
        document = one.to_document()
        if isinstance(one, Crosstab):
            document["of"] = [_definition(part, by_name) for part in one.parts]
        definitions.append(document)
    return definitions


def _definition(part: Attribute, by_name: Mapping[str, Any]) -> Any:
    """Return a part's name if it is the attribute of that name, else what is asked of it."""
    named = by_name.get(part.name)
    if named is not None:
        known = as_part(named)
        if known == (replace(part, points=2) if isinstance(part, Rounded) else part):
            return part.name
    document = part.to_document()
    document.pop("points", None)
    return document


def _pairs(asked: Sequence[Question], crosstabs: object) -> Iterable[Crosstab]:
    """Return the crosstabs that a survey is asked for beside its attributes."""
    if crosstabs is None:
        return
    if crosstabs == "all":
        for first, second in combinations(asked, 2):
            single = not isinstance(first, Crosstab) and not isinstance(second, Crosstab)
            if single and not (is_number(first) and is_number(second)):
                yield Crosstab(first.name, second.name)
        return
    if isinstance(crosstabs, str) or not isinstance(crosstabs, Iterable):
        raise SurveyError("'crosstabs' must be \"all\", or a list of pairs of attributes' names")
    for pair in crosstabs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise SurveyError("'crosstabs' must list pairs of attributes' names")
        yield Crosstab(*pair)
