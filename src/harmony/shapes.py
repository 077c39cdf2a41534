"""Shapes: how the values of an attribute are spread, for planning before any data is seen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .attributes import Numeric
from .distribution import Distribution, Level
from .errors import HarmonyError
from .finite import is_finite
from .mechanisms import Grid, Linear, Mechanism
from .near_names import did_you_mean
from .questions import Asked, Question

if TYPE_CHECKING:
    from .survey import Survey

Shape = str | Mapping[str, Any]
"""`even`, `worst` or, by attribute, the frequencies of values or numbers like those expected."""

EVEN, WORST = "even", "worst"


def check_shape(survey: Survey, shape: Shape | None) -> None:
    """Refuse what is not a shape for `survey`."""
    if shape is None or shape in (EVEN, WORST):
        return
    if not isinstance(shape, Mapping):
        raise HarmonyError(
            "'shape' must be 'even', 'worst', or a mapping of attributes to their frequencies"
        )
    questions = {question.name: question for question in survey.questions}
    for name, expected in shape.items():
        if name not in questions:
            near = did_you_mean(name, questions)
            raise HarmonyError(f"'shape': the survey has no attribute {name!r}{near}")
        question = questions[name]
        if isinstance(question, Distribution) or not question.values:
            _numbers(question, expected)
        else:
            _frequencies(question, expected)


def tier_variance(attribute: Asked, mechanism: Mechanism, share: float, shape: Shape) -> float:
    """Return n times the variance of an estimate of `attribute` from n answers.

    Of a histogram, that of the value for which it is greatest.  Attributes that a given shape
    does not name are taken at worst.
    """
    if shape == EVEN:
        return mechanism.expected_variance(share)
    asked = attribute.of if isinstance(attribute, Level) and attribute.of else attribute
    if shape == WORST or asked.name not in shape:
        return mechanism.greatest_variance(share)
    assert isinstance(shape, Mapping)
    if isinstance(mechanism, Linear):
        expected = shape[asked.name]
        if isinstance(attribute, Level):
            numbers = np.clip(_numbers(attribute, expected), attribute.low, attribute.high)
            frequencies = (np.histogram(numbers, attribute.edges)[0] / len(numbers)).tolist()
        else:
            frequencies = _frequencies(attribute, expected)
        return float(mechanism.variance_at(np.array(frequencies), share).max())
    assert isinstance(mechanism, Grid)
    assert isinstance(attribute, Numeric)
    numbers = np.array(_numbers(attribute, shape[attribute.name]))
    scaled = 2 * (numbers - attribute.low) / (attribute.high - attribute.low) - 1
    return mechanism.variance_of(np.clip(scaled, -1, 1), share)


def _frequencies(attribute: Asked, expected: Any) -> list[float]:
    """Return the frequency of each value; those of a mapping that it does not name are zero.

    >>> from harmony.attributes import Boolean
    >>> _frequencies(Boolean("wifi"), {True: 0.7, False: 0.3})
    [0.3, 0.7]
    """
    values = list(attribute.values)
    if isinstance(expected, Mapping):
        if unknown := [value for value in expected if value not in values]:
            near = did_you_mean(str(unknown[0]), [str(value) for value in values])
            raise HarmonyError(f"'shape': {attribute.name} has no value {unknown[0]!r}{near}")
        shares = [expected.get(value, 0.0) for value in values]
    elif isinstance(expected, Sequence | np.ndarray) and not isinstance(expected, str):
        shares = list(expected)
    else:
        raise HarmonyError(f"'shape': give {attribute.name} a frequency for each value")
    numbers = [_number(attribute, share) for share in shares]
    if len(numbers) != len(values) or min(numbers) < 0 or abs(math.fsum(numbers) - 1) > 1e-6:
        raise HarmonyError(
            f"'shape': the frequencies of {attribute.name} must be one for each of its "
            f"{len(values):,} values, none negative, adding up to 1"
        )
    return numbers


def _numbers(attribute: Question, expected: Any) -> list[float]:
    listed = isinstance(expected, Sequence | np.ndarray) and not isinstance(expected, str)
    if not listed or not len(expected):
        raise HarmonyError(f"'shape': give {attribute.name} a list of numbers like those expected")
    return [_number(attribute, number) for number in expected]


def _number(attribute: Question, number: Any) -> float:
    if hasattr(number, "item"):
        number = number.item()
    if isinstance(number, bool) or not isinstance(number, int | float) or not is_finite(number):
        raise HarmonyError(f"'shape': what is given for {attribute.name} must be finite numbers")
    return float(number)
