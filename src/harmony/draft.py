"""Drafts: a survey's attributes guessed from a table's columns, for a person to review.

A domain that is read off people's data tells about them, and is seldom what a survey should ask:
next month's devices hold values that this table does not.  So everything that was guessed is
marked, and the draft is written out as code, to be corrected by hand.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from .attributes import Attribute, Boolean, Categorical, Integer, Numeric
from .errors import DataError, PrivacyLeakWarning

if TYPE_CHECKING:
    from .survey import Survey

MOST_VALUES = 50
"""Different values of a column up to which they are listed: of more, it is an id or free text."""

MOST_INTEGERS = 12
"""Integers from the least to the greatest up to which a histogram of them is asked."""

GAPS = "; some rows have no value: name a 'missing'"

_NOT_READ = (pa.ArrowException, ValueError, TypeError, OverflowError)


@dataclass(frozen=True)
class Draft:
    """What was guessed of each attribute, and why columns were left out."""

    to_review: Mapping[str, str]
    left_out: Mapping[str, str]


def draft_attributes(
    table: Any, columns: Sequence[str] | None = None
) -> tuple[list[Attribute], Draft]:
    """Return an attribute for each column that can be one, and what to review.

    >>> import pyarrow as pa
    >>> attributes, draft = draft_attributes(pa.table({"age": [31.5, 64.0], "id": ["x", "y"]}))
    >>> attributes[0]
    Numeric(name='age', low=30.0, high=70.0, ...)
    >>> draft.to_review["age"]
    'the range of the data, rounded'
    """
    names = _names(table) if columns is None else list(columns)
    attributes: list[Attribute] = []
    to_review: dict[str, str] = {}
    left_out: dict[str, str] = {}
    for name in names:
        try:
            attribute, doubt = _drafted(name, _column(table, name))
        except _LeftOutError as reason:
            left_out[name] = str(reason)
            continue
        attributes.append(attribute)
        if doubt:
            to_review[name] = doubt
    if not attributes:
        raise DataError("no column can be an attribute: numbers, booleans and short lists of text")
    return attributes, Draft(to_review, left_out)


def warn_of_draft(draft: Draft) -> None:
    """Warn of the domains that were read off the data."""
    if draft.to_review:
        some = ", ".join(list(draft.to_review)[:5]) + (", ..." if len(draft.to_review) > 5 else "")
        warnings.warn(
            f"the domains of {some} were read off the data, which tells about the people in it; "
            "review them: print(survey.to_code())",
            PrivacyLeakWarning,
            stacklevel=3,
        )


def survey_code(survey: Survey) -> str:
    """Write a survey as the Python code that builds it, with a comment where a draft guessed."""
    draft = survey.draft or Draft({}, {})
    definition = survey.definition()
    attributes = definition.pop("attributes")
    name = _text(definition.pop("name"))
    options = [f"{key}={_text(value)}" for key, value in _chosen(survey, definition).items()]
    lines = [f"hm.Survey({', '.join([name, *options])}, attributes=["]
    for attribute in attributes:
        doubt = draft.to_review.get(attribute["name"], "")
        lines.append(f"    {_call(attribute)}," + (f"  # review: {doubt}" if doubt else ""))
    lines += [f"    # left out: {_text(name)}, {why}" for name, why in draft.left_out.items()]
    return "\n".join([*lines, "])"])


def _chosen(survey: Survey, definition: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a survey that are not what it would choose by itself."""
    from .mechanisms.choose import choose_answers

    tiers = [Fraction(tier) for tier in survey.tiers]
    usual = {
        "mechanism": "auto",
        "answers": choose_answers(survey.attributes, tiers, survey.mechanism),
        "balance": survey.mechanism == "auto",
    }
    return {key: value for key, value in definition.items() if usual.get(key) != value}


class _LeftOutError(Exception):
    """Why a column cannot be an attribute."""


def _names(table: Any) -> list[str]:
    names = getattr(table, "column_names", None)  # Arrow
    if names is None:
        names = table if isinstance(table, Mapping) else getattr(table, "columns", None)
    if names is None:
        raise DataError("the table must be a dict of arrays, or a pandas, Polars or Arrow table")
    return [str(name) for name in names]


def _column(table: Any, name: str) -> pa.ChunkedArray:
    from .near_names import did_you_mean

    if name not in _names(table):
        raise DataError(f"column {name!r} is missing{did_you_mean(name, _names(table))}")
    values = table[name]
    if hasattr(values, "to_arrow"):  # Polars
        values = values.to_arrow()
    if isinstance(values, pa.ChunkedArray):
        return values
    if not isinstance(values, pa.Array):
        try:
            values = pa.array(values, from_pandas=True)
        except _NOT_READ:
            raise _LeftOutError("values of several types") from None
    return values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])


def _drafted(name: str, values: pa.ChunkedArray) -> tuple[Attribute, str]:
    """Return an attribute for a column, and what somebody should review."""
    gaps = GAPS if values.null_count else ""
    kind = values.type
    if pa.types.is_dictionary(kind):
        return _listed(name, _dictionary(values), f"the column's own categories{gaps}")
    if pa.types.is_boolean(kind):
        return Boolean(name), gaps.removeprefix("; ")
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _number(name, values)
    if _is_text(kind):
        return _listed(name, _texts(values), f"the values of the data{gaps}")
    from .bulk.type_words import in_words

    raise _LeftOutError(f"{in_words(str(kind))}: neither a number nor one of a few values")


def _number(name: str, values: pa.ChunkedArray) -> tuple[Attribute, str]:
    numbers = values.drop_null()
    if pa.types.is_floating(numbers.type):
        numbers = numbers.filter(pc.is_finite(numbers))
    if not len(numbers):
        raise _LeftOutError("no number in any row")
    gaps = GAPS if len(numbers) < len(values) else ""
    extremes = pc.min_max(numbers)
    low, high = extremes["min"].as_py(), extremes["max"].as_py()
    if isinstance(low, int) and 0 < high - low < MOST_INTEGERS:
        return Integer(name, low, high), f"the range of the data{gaps}"
    ends = _rounded_out(float(low), float(high))
    return Numeric(name, *ends), f"the range of the data, rounded{gaps}"


def _rounded_out(low: float, high: float) -> tuple[float, float]:
    """Return a range around numbers whose ends are short.

    >>> _rounded_out(3.2, 98.7), _rounded_out(0.012, 0.31), _rounded_out(5.0, 5.0)
    ((0.0, 100.0), (0.0, 0.4), (4.0, 6.0))
    """
    span = high - low
    if not 0 < span < math.inf:
        return low - 1, high + 1
    step = 10.0 ** math.floor(math.log10(span))
    ends = math.floor(low / step) * step, math.ceil(high / step) * step
    return float(f"{ends[0]:.12g}"), float(f"{ends[1]:.12g}")


def _listed(name: str, values: list[Any], doubt: str) -> tuple[Attribute, str]:
    if len(values) > MOST_VALUES:
        raise _LeftOutError(f"more than {MOST_VALUES} different texts: an id, or free text")
    if len(values) < 2:
        raise _LeftOutError("fewer than two different values: list what it can be by hand")
    if len({type(value) for value in values}) != 1 or not isinstance(values[0], str | int):
        raise _LeftOutError("values that are neither all text nor all integers")
    return Categorical(name, values), doubt


def _dictionary(values: pa.ChunkedArray) -> list[Any]:
    """Return a column's own categories, in their order, without looking at its rows."""
    seen: dict[Any, None] = {}
    for chunk in values.chunks:
        seen |= dict.fromkeys(chunk.dictionary.slice(0, MOST_VALUES + 1).to_pylist())
    return [value for value in seen if value is not None]


def _texts(values: pa.ChunkedArray) -> list[str]:
    return sorted(pc.unique(values).drop_null().slice(0, MOST_VALUES + 1).to_pylist())


def _is_text(kind: pa.DataType) -> bool:
    """Whether Arrow holds text in a column of this type."""
    view = getattr(pa.types, "is_string_view", lambda _: False)(kind)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or view)


def _call(document: dict[str, Any]) -> str:
    """Write an attribute, as its document has it, as the call that builds it.

    >>> print(_call(Boolean("wifi", weight=2).to_document()))
    hm.Boolean("wifi", weight=2)
    >>> print(_call(Integer("sims", 0, 2, missing=0).to_document()))
    hm.Integer("sims", 0, 2, missing=0)
    """
    fields = dict(document)
    name, kind = fields.pop("name"), str(fields.pop("kind")).capitalize()
    places = [name]
    if kind == "Numeric":
        places += [fields.pop("low"), fields.pop("high")]
    elif kind == "Categorical":
        values = fields.pop("values")
        if isinstance(values[0], bool) and values == [False, True]:
            kind = "Boolean"
        elif type(values[0]) is int and values == list(range(values[0], values[-1] + 1)):
            kind = "Integer"
            places += [values[0], values[-1]]
        else:
            places.append(values)
    options = [f"{key}={_text(value)}" for key, value in fields.items()]
    return f"hm.{kind}({', '.join([*map(_text, places), *options])})"


def _text(value: Any) -> str:
    """Write a value as code: text in double quotes, numbers as short as they are exact."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"{value:.0f}"
    return repr(value)
