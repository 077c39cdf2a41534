"""Crosses and bins: features that are a pair of two others, or a number taken as a category.

A linear model gives a number one slope, and every feature an effect that depends on no other.  A
number in bins has an effect for each of them, and a cross one for each pair of values.  Devices
read both as they read the histograms and crosstabs of surveys; to everything else they are
categories, whose values are the names of bins and pairs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harmony_device.record import NUMBER

from ..arrays import Floats
from ..attributes import (
    KINDS,
    Attribute,
    Categorical,
    Kinds,
    Numeric,
    Signed,
    attribute_from_document,
)
from ..crosstab import Crosstab, is_number
from ..errors import SurveyError
from ..finite import is_finite
from ..near_names import did_you_mean

Bins = Mapping[str, int | Sequence[float]] | None
Crosses = Sequence[tuple[str, str]] | None

CROSS_BINS = 8
"""The equal bins of a number that is crossed and has none of its own."""

NEARLY_ALL = 0.9
"""The share of devices in an eighth of the bins above which those are taken to be too wide."""


@dataclass(frozen=True, kw_only=True)
class Binned(Categorical):
    """A number as a category: the bin that it lies in.

    >>> Binned.of(Numeric("age", 0, 90, bins=3)).values
    ('[0, 30)', '[30, 60)', '[60, 90]')
    """

    number: Numeric

    @classmethod
    def of(cls, number: Numeric) -> Binned:
        """Return a number with bins as a category."""
        number = replace(number, weight=1, question=None)
        return cls(number.name, number.values, number=number)

    @property
    def source(self) -> str:
        return self.number.source

    @property
    def asks(self) -> str:
        return NUMBER

    def to_document(self) -> dict[str, Any]:
        return self.number.to_document()


@dataclass(frozen=True, kw_only=True)
class Cross(Categorical):
    """The pair of two features with values or bins; its values are all pairs.

    >>> Cross.of(Categorical("plan", ["basic", "plus"]), Categorical("wifi", [False, True])).values
    ('basic x False', 'basic x True', 'plus x False', 'plus x True')
    """

    parts: tuple[Categorical, Categorical]

    @classmethod
    def of(cls, first: Categorical, second: Categorical, name: str = "") -> Cross:
        """Return the cross of two features."""
        pairs = list(product(first.values, second.values))
        names = [f"{one} x {other}" for one, other in pairs]
        if len(set(names)) < len(names):  # a value holds an " x " of its own
            names = [json.dumps(pair, ensure_ascii=False) for pair in pairs]
        parts = (replace(first, weight=1, question=None), replace(second, weight=1, question=None))
        return cls(name or f"{first.name} x {second.name}", names, parts=parts)

    def to_document(self) -> dict[str, Any]:
        of = [part.to_document() for part in self.parts]
        return {"name": self.name, "kind": "crosstab", "of": of}


def _crosstab(of: Any, name: str = "") -> Crosstab:
    if not isinstance(of, list) or len(of) != 2:
        raise SurveyError("'of' must list the two features that a cross is made of")
    first, second = (
        one if isinstance(one, str) else attribute_from_document(one, f"of[{place}]")
        for place, one in enumerate(of)
    )
    return Crosstab(first, second, name)


FEATURE_KINDS: Kinds = {**KINDS, "crosstab": (_crosstab, {"of"}, {"name"})}
"""The kinds of features that a training's file may list."""


def read_features(documents: Any) -> list[Any]:
    """Read the features of a training or a model as they are written."""
    if not isinstance(documents, list):
        raise SurveyError("'features' must be a list of attributes")
    return [
        attribute_from_document(one, f"features[{place}]", FEATURE_KINDS)
        for place, one in enumerate(documents)
    ]


def with_options(features: Iterable[Any], bins: Bins, crosses: Crosses) -> list[Any]:
    """Return features with the bins of numbers beside them, and with crosses at the end.

    A number in bins keeps its slope: where its bins are too wide to tell, that still does.

    >>> features = [Numeric("age", 0, 90), Categorical("plan", ["basic", "plus"])]
    >>> [one.name for one in with_options(features, {"age": [18, 65]}, [("age", "plan")])]
    ['age', 'age in bins', 'plan', 'age x plan']
    """
    features = list(features)
    binned = _binned({one.name: one for one in features}, bins)
    found = []
    for feature in features:
        found.append(feature)
        if feature.name in binned:
            name = f"{feature.name} in bins"
            found.append(replace(binned[feature.name], name=name, reads=feature.source))
    if isinstance(crosses, str) or not isinstance(crosses or [], Sequence):
        raise SurveyError("'crosses' must be a list of pairs of features")
    for pair in crosses or []:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise SurveyError("'crosses' must be a list of pairs: [[age, plan]]")
        first, second = map(str, pair)
        parts = binned.get(first, first), binned.get(second, second)
        found.append(Crosstab(*parts, name=f"{first} x {second}"))
    return found


def _binned(features: Mapping[str, Any], bins: Bins) -> dict[str, Numeric]:
    """Return the numbers that are named, with their bins."""
    if bins is not None and not isinstance(bins, Mapping):
        raise SurveyError("'bins' must be a mapping: a number of bins, or edges, by name")
    binned = {}
    for name, cuts in (bins or {}).items():
        number = features.get(name)
        if not isinstance(number, Numeric):
            near = did_you_mean(name, [one.name for one in features.values() if is_number(one)])
            raise SurveyError(f"'bins' names {name!r}, which is no number among the features{near}")
        binned[name] = replace(number, bins=_edges(number, cuts))
    return binned


def _edges(number: Numeric, cuts: Any) -> Any:
    """Return the bins of a number, the ends of its domain added where they are not listed."""
    if isinstance(cuts, int | str) or not isinstance(cuts, Iterable):
        return cuts
    edges = list(cuts)
    if not all(map(is_finite, edges)):
        return edges  # which is refused where edges are checked
    inner = [float(edge) for edge in edges if number.low < edge < number.high]
    if outside := [edge for edge in edges if not number.low <= edge <= number.high]:
        raise SurveyError(
            f"'bins' of {number.name}: the edge {outside[0]:g} is outside its domain, "
            f"{number.low:g} to {number.high:g}"
        )
    return [number.low, *inner, number.high]


def resolved(features: Sequence[Any]) -> tuple[Attribute, ...]:
    """Return features as trainings take them: numbers with bins and crosstabs as categories.

    >>> age, plan = Numeric("age", 0, 90), Categorical("plan", ["basic", "plus"])
    >>> resolved([age, plan, Crosstab("plan", "age")])[2].values[:2]
    ('basic x [0, 11.25)', 'basic x [11.25, 22.5)')
    """
    by_name = {one.name: one for one in features if not isinstance(one, Crosstab | Cross)}
    return tuple(_resolved(one, by_name) for one in features)


def _resolved(feature: Any, by_name: Mapping[str, Attribute]) -> Attribute:
    if isinstance(feature, Crosstab):
        first, second = (_part(one, by_name) for one in (feature.first, feature.second))
        if first.source == second.source:
            raise SurveyError(f"'crosses': {feature.name} is of one column with itself")
        return Cross.of(first, second, feature.name)
    if isinstance(feature, Numeric) and feature.edges:
        return Binned.of(feature)
    if not isinstance(feature, Numeric | Categorical) or isinstance(feature, Signed):
        raise SurveyError("'features' must hold Numeric, Categorical and Crosstab attributes only")
    return feature


def _part(part: str | Attribute, by_name: Mapping[str, Attribute]) -> Categorical:
    if isinstance(part, str):
        if part not in by_name:
            near = did_you_mean(part, by_name)
            raise SurveyError(f"'crosses' names {part!r}, which is no feature{near}")
        part = by_name[part]
    if isinstance(part, Numeric):
        return Binned.of(part if part.edges else replace(part, bins=CROSS_BINS))
    return part


def walked(feature: Attribute) -> NDArray[np.int64]:
    """Return the places of a feature's values in the order in which neighbours are alike.

    A cross whose first part alone is in bins is walked along these, value after value of the other.

    >>> age, wifi = Numeric("age", 0, 90, bins=3), Categorical("wifi", [False, True])
    >>> walked(resolved([Crosstab(age, wifi)])[0]).tolist()
    [0, 2, 4, 1, 3, 5]
    """
    places = np.arange(len(feature.values))
    if not isinstance(feature, Cross):
        return places
    first, second = feature.parts
    if isinstance(first, Binned) and not isinstance(second, Binned):
        places = places.reshape(len(first.values), -1).T.ravel()
    return places


def coarse_bins(feature: Attribute, frequencies: Floats, variances: Floats) -> list[str]:
    """Return the numbers that a feature takes in bins of which an eighth holds nearly all devices.

    >>> (age,) = resolved([Numeric("age", 0, 1000, bins=2)])
    >>> coarse_bins(age, np.array([0.98, 0.02]), np.full(2, 1e-4))
    ['age']
    """
    parts = feature.parts if isinstance(feature, Cross) else (feature,)
    shape = [len(part.values) for part in parts]
    shares, noise = frequencies.reshape(shape), variances.reshape(shape)
    coarse = []
    for axis, part in enumerate(parts):
        others = tuple(other for other in range(len(parts)) if other != axis)
        least = np.sort(shares.sum(others) - 2 * np.sqrt(noise.sum(others)))
        if isinstance(part, Binned) and least[-max(len(least) // 8, 1) :].sum() > NEARLY_ALL:
            coarse.append(part.source)
    return coarse


def columns_of(feature: Attribute) -> tuple[Attribute, ...]:
    """Return what a feature reads: itself, the number that it bins, or both of a pair."""
    if isinstance(feature, Cross):
        return tuple(column for part in feature.parts for column in columns_of(part))
    return (feature.number,) if isinstance(feature, Binned) else (feature,)


def all_columns(features: Iterable[Attribute]) -> list[Attribute]:
    """Return what features read, each column once: the first that reads it.

    >>> age = Numeric("age", 0, 90)
    >>> [one.name for one in all_columns(resolved([age, Numeric("age in bins", 0, 90, bins=3,
    ...                                                        reads="age")]))]
    ['age']
    """
    by_source: dict[str, Attribute] = {}
    for feature in features:
        for column in columns_of(feature):
            by_source.setdefault(column.source, column)
    return list(by_source.values())
