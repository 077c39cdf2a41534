"""Domains: what is public about a table's columns before anyone's values are looked at.

A model needs to know in which range a number can lie and which values a category can have.
Whoever declares it leaks nothing.  What is not declared is read off the data, which tells
something about the people in it, and `PrivacyLeakWarning` says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..attributes import Attribute, Boolean, Categorical, Numeric
from ..bulk.columns import TableLike
from ..errors import DataError, PrivacyLeakWarning, SurveyError
from ..finite import is_finite
from .crosses import Bins

Bounds = Mapping[str, tuple[float, float]] | tuple[Any, Any] | None
Categories = Mapping[str, Sequence[Any]] | None


def column_names(table: TableLike) -> list[str]:
    """Return the names of a table's columns.

    >>> column_names({"age": [1, 2], "wifi": [True, False]})
    ['age', 'wifi']
    """
    names = getattr(table, "column_names", None)  # Arrow
    if names is None:
        names = table if isinstance(table, Mapping) else table.columns
    return [str(name) for name in names]


def read_domains(
    table: TableLike, bounds: Bounds = None, categories: Categories = None, bins: Bins = None
) -> list[Attribute]:
    """Return an attribute for each column, warning of domains that are read off the data.

    `bounds` gives every numeric column's lowest and highest value: one pair for all, a pair of
    sequences, or a pair by name.  `categories` lists values by name; the declared categories of
    a pandas or Polars column count as such.  Edges of `bins` are bounds where there are no others.

    >>> read_domains({"age": [31.0], "sex": ["f"]}, {"age": (0, 120)}, {"sex": ["f", "m"]})
    [Numeric(name='age', low=0.0, ...), Categorical(name='sex', values=('f', 'm'), ...)]
    """
    names = column_names(table)
    pairs, ends = _pairs(bounds, names), _ends(bins)
    listed = dict(categories or {})
    for field, known in (("bounds", pairs), ("bins", ends), ("categories", listed)):
        if unknown := known.keys() - set(names):
            raise SurveyError(f"'{field}' names {min(unknown)!r}, which is no column")
    leaked: list[str] = []
    features = [_domain(name, table[name], ends | pairs, listed, leaked) for name in names]
    warn_of_leaks(leaked)
    return features


def warn_of_leaks(leaked: Sequence[str]) -> None:
    """Warn of the domains that were read off the data."""
    if leaked:
        some = ", ".join(leaked[:5]) + (", ..." if len(leaked) > 5 else "")
        warnings.warn(
            f"the domains of {some} were read off the data, which tells about the people in it; "
            "declare them with 'bounds', 'categories', 'label_bounds' or 'classes'",
            PrivacyLeakWarning,
            stacklevel=4,
        )


def numeric_domain(
    name: str, values: Any, pair: tuple[float, float] | None
) -> tuple[Numeric, bool]:
    """Return a numeric attribute, and whether its range was read off the data."""
    if pair is not None:
        return Numeric(name, float(pair[0]), float(pair[1])), False
    numbers = np.asarray(values, np.float64)
    numbers = numbers[np.isfinite(numbers)]
    low, high = (numbers.min(), numbers.max()) if len(numbers) else (0.0, 0.0)
    if not low < high:  # a constant teaches nothing, but it is not wrong
        low, high = low - 0.5, high + 0.5
    return Numeric(name, float(low), float(high)), True


def _domain(
    name: str,
    values: Any,
    pairs: Mapping[str, tuple[float, float]],
    listed: Mapping[str, Sequence[Any]],
    leaked: list[str],
) -> Attribute:
    if name in listed:
        return _category(name, listed[name])
    declared = getattr(getattr(values, "dtype", None), "categories", None)  # pandas, Polars Enum
    if declared is not None and len(declared):
        return _category(name, list(declared))
    array = np.asarray(values)
    if array.dtype.kind == "b":
        return Boolean(name)
    if array.dtype.kind in "iuf":
        attribute, leaks = numeric_domain(name, array, pairs.get(name))
        if leaks:
            leaked.append(name)
        return attribute
    leaked.append(name)
    return _category(name, sorted({str(one) for one in array.tolist() if one is not None}))


def _category(name: str, values: Iterable[Any]) -> Categorical:
    plain = [one.item() if isinstance(one, np.generic) else one for one in values]
    if len(plain) == 1:
        raise DataError(f"{name}: has one value only; list all it could have in 'categories'")
    return Categorical(name, plain)


def _pairs(bounds: Bounds, names: Sequence[str]) -> dict[str, tuple[float, float]]:
    if bounds is None:
        return {}
    if isinstance(bounds, Mapping):
        return {str(name): _pair(name, pair) for name, pair in bounds.items()}
    low, high = _pair("'bounds'", bounds)
    try:
        lows = np.broadcast_to(np.asarray(low, np.float64), len(names))
        highs = np.broadcast_to(np.asarray(high, np.float64), len(names))
    except ValueError:
        raise SurveyError("'bounds' must give a pair for every column, or one for all") from None
    return {name: (lows[place], highs[place]) for place, name in enumerate(names)}


def _ends(bins: Bins) -> dict[str, tuple[float, float]]:
    """Return the first and the last of edges that are listed; `crosses` refuses bad ones."""
    return {
        str(name): (min(edges), max(edges))
        for name, edges in (bins.items() if isinstance(bins, Mapping) else ())
        if isinstance(edges, Sequence) and len(edges) > 2 and all(map(is_finite, edges))
    }


def _pair(name: object, pair: Any) -> tuple[Any, Any]:
    try:
        low, high = pair
    except (TypeError, ValueError):
        raise SurveyError(f"{name}: bounds are a pair, the lowest and the highest value") from None
    return low, high
