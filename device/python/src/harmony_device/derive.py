"""Derived answers: what one device computes from its record and a training's public model.

    {"is": "label"}                                    the label, in [-1, 1]
    {"is": "feature", "feature": f}                    the feature itself
    {"is": "gradient", "feature": f, "of": a, "clip": A, "middle": m, "reach": r}
                                                       clip(a / A) times the feature; times
                                                       clip((x - m) / r) if that is a number x
    {"is": "product", "of": [a, ...], "clip": [A, ...]}  clip(a / A) * ... over one or more terms
    {"is": "curve", "edges": [...]}                    2 * (number of edges <= score) + (label > 0)
    {"is": "surplus", "edges": [...]}                  the number of edges <= score, label's sign

A term is `label`, `score` (the model's), `residual` (label - score), `relative` (residual /
(1 + |score|)) or `direction` (the score of the step's direction, or of the model where it has
none); clip is to [-1, 1].  A gradient of a feature with values is a level and a sign, which is
positive with probability (1 + clip(a / A)) / 2; a surplus is a bin as the level, and the sign of
the label.

Privacy: all of it is pre-processing; an answer goes through a table that has been proved to keep
its epsilon.  A derivation has an answer for every record, so that nobody learns what a device
lacks: a number that it lacks is 0 and adds nothing to a score; whatever else cannot be computed
(a level, the sign that goes with one, anything of a label) is None, which the code draws at random.
"""

from __future__ import annotations

from bisect import bisect_right

from .attributes import Category, Number, Signed
from .errors import RefusedError
from .fields import checked_number
from .protocol import MAX_EDGES, MAX_TERMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Union

    from .attributes import Answer
    from .crosstab import Attribute, Crosstab

    Feature = Union[Number, Category, Crosstab]
    Read = Union[float, int, None]
    Derive = Callable[["Terms"], Answer]

KINDS = ("label", "feature", "gradient", "product", "curve", "surplus")
TERMS = ("label", "score", "residual", "relative", "direction")
TWO_53 = 9007199254740992.0
HUGE = 1e300
"""What an infinite score counts as where residuals are divided by it: the quotient is infinite."""


class Terms:
    """What derivations are made of: a record, its label, its scores and a random word."""

    __slots__ = ("chance", "direction", "label", "record", "relative", "residual", "score")

    def __init__(
        self, record: list[Any], label: float | None, score: float, direction: float, word: int
    ) -> None:
        self.record = record
        self.label = label
        self.score = score
        self.residual = None if label is None else label - score
        self.relative = None
        if self.residual is not None:
            self.relative = self.residual / (1 + min(abs(score), HUGE))
        self.direction = direction
        self.chance = (word >> 11) / TWO_53


def derivation(
    attribute: Attribute, how: Any, by_name: Mapping[str, int], features: Sequence[Feature]
) -> Derive:
    """Return the function that a derivation describes; it has an answer for every record."""
    kind = how.get("is") if isinstance(how, dict) else None
    if kind == "label":
        return _number(attribute, lambda terms: terms.label)
    if kind == "product":
        return _number(attribute, _product(how))
    if kind in ("curve", "surplus"):
        return (_curve if kind == "curve" else _surplus)(attribute, _checked_edges(how))
    if kind in ("feature", "gradient"):
        name = how.get("feature")
        place = by_name.get(name) if isinstance(name, str) else None
        if place is None:
            raise RefusedError("'feature' must be the name of one of the features")
        make = _feature if kind == "feature" else _gradient
        return make(attribute, how, place, features[place])
    raise RefusedError(f"'is' must be one of {', '.join(KINDS)}")


def _number(attribute: Attribute, derive: Callable[[Terms], float | None]) -> Derive:
    if not isinstance(attribute, Number):
        raise RefusedError("the attribute must be numeric")
    read = attribute.read
    return lambda terms: read(derive(terms))


def _product(how: dict[str, Any]) -> Callable[[Terms], float | None]:
    names, clips = how.get("of"), how.get("clip")
    if not isinstance(names, list) or not 1 <= len(names) <= MAX_TERMS:
        raise RefusedError(f"'of' must list 1 to {MAX_TERMS} terms")
    if not all(name in TERMS for name in names):
        raise RefusedError(f"'of' must list some of {', '.join(TERMS)}")
    if not isinstance(clips, list) or len(clips) != len(names):
        raise RefusedError("'clip' must list a number for each term")
    factors = [(name, _positive({"clip": clip}, "clip")) for name, clip in zip(names, clips)]

    def product(terms: Terms) -> float | None:
        found = 1.0
        for name, clip in factors:
            term: float | None = getattr(terms, name)
            if term is None:
                return None
            found *= clipped(term / clip)
        return found

    return product


def _curve(attribute: Attribute, edges: list[float]) -> Derive:
    _check_levels(attribute, 2 * len(edges) + 2, Category)

    def place(terms: Terms) -> int | None:
        if terms.label is None:
            return None
        return 2 * bisect_right(edges, terms.score) + (terms.label > 0)

    return place


def _surplus(attribute: Attribute, edges: list[float]) -> Derive:
    _check_levels(attribute, len(edges) + 1, Signed)
    size = 1 << len(edges).bit_length()

    def signed_place(terms: Terms) -> int | None:
        if terms.label is None:
            return None
        return bisect_right(edges, terms.score) + size * (terms.label <= 0)

    return signed_place


def _checked_edges(how: dict[str, Any]) -> list[float]:
    edges = how.get("edges")
    if not isinstance(edges, list) or not 1 <= len(edges) <= MAX_EDGES:
        raise RefusedError(f"'edges' must list 1 to {MAX_EDGES} numbers")
    checked = [checked_number(edge, "edges") for edge in edges]
    if any(left >= right for left, right in zip(checked, checked[1:])):
        raise RefusedError("'edges' must be in rising order")
    return checked


def _feature(attribute: Attribute, how: dict[str, Any], place: int, feature: Feature) -> Derive:
    levels = levels_of(feature)
    if levels:
        _check_levels(attribute, levels, Category)
        return lambda terms: terms.record[place]
    low, high = feature.low, feature.high  # type: ignore[union-attr]  # a number
    return _number(
        attribute, lambda terms: low + ((terms.record[place] or 0.0) + 1) / 2 * (high - low)
    )


def _gradient(attribute: Attribute, how: dict[str, Any], place: int, feature: Feature) -> Derive:
    term, clip = how.get("of"), _positive(how, "clip")
    if term not in TERMS:
        raise RefusedError(f"'of' must be one of {', '.join(TERMS)}")
    levels = levels_of(feature)
    if not levels:
        middle, reach = checked_number(how.get("middle"), "middle"), _positive(how, "reach")

        def product(terms: Terms) -> float | None:
            factor: float | None = getattr(terms, term)
            if factor is None:
                return None
            return clipped(factor / clip) * clipped(((terms.record[place] or 0.0) - middle) / reach)

        return _number(attribute, product)
    _check_levels(attribute, levels, Signed)
    size = 1 << (levels - 1).bit_length()

    def signed_level(terms: Terms) -> int | None:
        level: int | None = terms.record[place]
        factor: float | None = getattr(terms, term)
        if level is None or factor is None:
            return None
        negative: bool = 2 * terms.chance >= 1 + clipped(factor / clip)
        return level + size * negative

    return signed_level


def levels_of(feature: Feature) -> int:
    """Return how many levels a feature has: values, bins or pairs of them; a number has none."""
    levels: int = getattr(feature, "values", 0)
    return levels


def _check_levels(attribute: Attribute, levels: int, kind: type[Category]) -> None:
    """Make sure that every level has its place in the attribute: none is ever refused."""
    if type(attribute) is not kind or getattr(attribute, "levels", attribute.values) != levels:
        raise RefusedError(f"the attribute must be {kind.__name__.lower()}, of {levels} values")


def clipped(number: float) -> float:
    """Return the number of [-1, 1] that is nearest."""
    return -1.0 if number < -1 else 1.0 if number > 1 else number


def _positive(how: Mapping[str, Any], field: str) -> float:
    number = checked_number(how.get(field), field)
    if not number > 0:
        raise RefusedError(f"'{field}' must be positive")
    return number
