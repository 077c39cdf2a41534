"""Intervals of coefficients: what least squares without privacy would find, as far as is known.

The weights of a model are shrunk, so no interval around them covers as it says.  But the gradient
at a score is the covariance S of the features times what the score lacks.  So devices that have
not learned tell the gradient at the final score, and, feature by feature, the columns of S: those
are gradients, too, of a direction along one coordinate.  The weights plus S^-1 times the gradient
are not shrunk, and since the score lacks little, S may be rough.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..attributes import Attribute, Numeric, Value
from ..errors import SurveyError
from .allocation import Allocation
from .coefficients import coefficient_rows
from .features import LEAST_STD, Features
from .placing import Places
from .score import Score
from .step import Residual, Scaling
from .trainer import Estimates, StepRequest

PURPOSE = "intervals"
GRADIENT_SHARE = 0.5
"""Of the devices, for the gradient; the others tell how features go together."""

CLIP, DIRECTION_CLIP, Z = 3.0, 2.5, 1.96
"""Where residuals, and features, are clipped, in their deviations."""

CUT_OFF = 0.005
"""The share of devices at either end of a number that are clipped."""

PRIOR_CORRELATION = 0.3
LEAST_EIGENVALUE, ERRORS = 0.1, 2.0
"""Of the features' correlations: where it is not greater by so many errors of a correlation, the
coefficients cannot be told from one another."""


@dataclass(frozen=True)
class Coefficient:
    """The coefficient that least squares would find, in the units of the table, with 95%.

    Those of a feature's values are told from their mean.

    >>> Coefficient("age", None, 0.3, 0.1, 0.5).clear
    True
    """

    feature: str
    value: Value | None
    estimate: float
    low: float
    high: float

    @property
    def clear(self) -> bool:
        """Whether it can be told from zero."""
        return self.low > 0 or self.high < 0

    @classmethod
    def from_document(cls, document: Any) -> Coefficient:
        """Read a coefficient back."""
        try:
            numbers = [float(document[name]) for name in ("estimate", "low", "high")]
            return cls(str(document["feature"]), document["value"], *numbers)
        except (KeyError, TypeError, ValueError) as problem:
            raise SurveyError(f"'intervals' lacks or misstates {problem}") from None

    def to_document(self) -> dict[str, Any]:
        return asdict(self)


Coefficients = tuple[Coefficient, ...]


def read_coefficients(documents: Any, features: Sequence[Attribute]) -> Coefficients:
    """Read the intervals of a model of these features back."""
    if not isinstance(documents, list):
        raise SurveyError("'intervals' must be a list, with an entry for each coefficient")
    read = tuple(map(Coefficient.from_document, documents))
    if [{"feature": one.feature, "value": one.value} for one in read] != coefficient_rows(features):
        raise SurveyError("'intervals' must list the coefficients of the model, in their order")
    return read


def coefficient_intervals(
    allocation: Allocation,
    known: Features,
    places: Places,
    score: Score,
    residual_std: float,
    label: Attribute,
    ask: partial[StepRequest],
) -> Generator[StepRequest, Estimates, Coefficients | None]:
    """Ask the devices that were kept for it between what the coefficients lie, if they can tell."""
    devices, width = allocation.training.telling, len(known.variances)
    if not devices:
        return None
    whole = Features.of(known.features, places, _whole_numbers(known, places))
    equal = np.full(len(known.blocks), 1 / len(known.blocks))
    ask = partial(ask, model=score, best=score)
    residual = Residual("residual", CLIP * residual_std)
    asked = allocation.gradient(known.features, residual, equal, whole.scalings)
    alone = len(known.blocks) == 1  # its coordinates are uncorrelated
    gradient_devices = devices if alone else round(GRADIENT_SHARE * devices)
    found = yield ask(PURPOSE, asked, gradient_devices)
    answers = [(found, residual)]
    for axis in () if alone else np.eye(width):
        along = Residual("direction", DIRECTION_CLIP * known.std(axis))
        asked = allocation.gradient(known.features, along, equal, known.scalings)
        each = (devices - gradient_devices) // width
        found = yield ask(PURPOSE, asked, each, direction=known.score(axis))
        answers.append((found, along))
    if not all(one.n for found, _ in answers for one in found.values()):
        return None
    gradient, noise = _told(whole, *answers[0])
    columns = [_told(known, *one) for one in answers[1:]]
    scale = np.sqrt(known.variances)
    correlations, variances = np.eye(width), np.zeros((width, width))
    if columns:
        correlations, variances = _correlations(
            known.owners,
            np.column_stack([means for means, _ in columns]) / np.outer(scale, scale),
            np.column_stack([np.diag(one) for _, one in columns]) / np.outer(scale, scale) ** 2,
        )
    error = float(np.sqrt(variances.max()))
    if np.linalg.eigvalsh(correlations)[0] < LEAST_EIGENVALUE + ERRORS * error:
        return None
    # As it may be rough it is shrunk: what noise adds to it would make the inverse too large.
    kept = PRIOR_CORRELATION**2 / (PRIOR_CORRELATION**2 + variances)
    kept = np.where(np.eye(width), 1.0, kept)
    inverse = np.linalg.inv(kept * correlations * np.outer(scale, scale))
    lacking = inverse @ gradient
    doubt = kept * variances * np.outer(scale, scale) ** 2
    noise = noise + np.diag(doubt @ lacking**2)
    return _in_units(known, _coordinates(known, score) + lacking, inverse @ noise @ inverse, label)


def _whole_numbers(known: Features, places: Places) -> dict[str, Scaling]:
    """Return scalings that clip next to nothing of a number.

    A number that is clipped near its mean goes with it, but not with what bends: to least squares
    both matter, so an instrument would tell of other coefficients wherever effects are not linear.
    """
    scalings = {}
    for feature in known.features:
        if isinstance(feature, Numeric):
            points = places.points(feature)
            low, high = (float(end) for end in np.quantile(points, [CUT_OFF, 1 - CUT_OFF]))
            scalings[feature.name] = Scaling((low + high) / 2, max((high - low) / 2, LEAST_STD))
    return scalings


def _coordinates(known: Features, score: Score) -> Floats:
    """Return the weights of a score's coordinates: what `known.score` made it of."""
    pieces = []
    for block, columns in zip(known.blocks, score.blocks, strict=True):
        assert block.basis is not None  # it has few values
        pieces.append(np.linalg.pinv(block.basis) @ columns)
    return np.concatenate(pieces)


def _told(known: Features, found: Estimates, residual: Residual) -> tuple[Floats, Floats]:
    """Return a gradient, and its covariance: all of it shares the noise of the mean residual."""
    gradient = known.gradient(found, residual)
    shared = np.concatenate([block.gradient(0 * block.means, 1.0) for block in known.blocks])
    variance = residual.unit**2 * float(found[residual.term].variance[0])
    return gradient.means, np.diag(1 / gradient.precisions) + variance * np.outer(shared, shared)


def _correlations(
    owners: NDArray[np.int64], columns: Floats, noise: Floats
) -> tuple[Floats, Floats]:
    """Return how coordinates go together, with the variance of noise: all but a feature's own.

    Each pair was asked twice, once for either's column.

    >>> two = np.arange(2)
    >>> found, noise = _correlations(two, np.array([[0, 0.2], [0.4, 0]]), np.full((2, 2), 0.1))
    >>> found.round(2).tolist(), noise.round(2).tolist()
    ([[1.0, 0.3], [0.3, 1.0]], [[0.0, 0.05], [0.05, 0.0]])
    """
    total = 1 / noise + 1 / noise.T
    mean = (columns / noise + columns.T / noise.T) / total
    own = owners[:, None] == owners
    return np.where(own, np.eye(len(owners)), mean), np.where(own, 0.0, 1 / total)


def _in_units(
    known: Features, coordinates: Floats, covariance: Floats, label: Attribute
) -> Coefficients:
    """Write coordinates and their covariance as coefficients in the units of the table."""
    assert isinstance(label, Numeric)
    rows = coefficient_rows(known.features)
    turned = np.zeros((len(rows), len(coordinates)))
    row = column = 0
    for feature, block in zip(known.features, known.blocks, strict=True):
        assert block.basis is not None  # it has few values
        height, width = block.basis.shape
        unit = (label.high - label.low) / 2
        if isinstance(feature, Numeric):
            unit /= (feature.high - feature.low) / 2
        turned[row : row + height, column : column + width] = unit * block.basis
        row, column = row + height, column + width
    estimates = turned @ coordinates
    errors = Z * np.sqrt(np.maximum(np.diag(turned @ covariance @ turned.T), 0.0))
    return tuple(
        Coefficient(**one, estimate=float(at), low=float(at - error), high=float(at + error))
        for one, at, error in zip(rows, estimates, errors, strict=True)
    )


def interval_lines(coefficients: Sequence[Coefficient]) -> list[str]:
    """Say it in lines; a star marks what can be told from zero.

    >>> print(*interval_lines([Coefficient("age", None, 0.3, 0.1, 0.5)]), sep="\\n")
      least squares would find (95%; * can be told from zero):
        age  +0.3 (+0.1 to +0.5) *
    """
    names = [
        one.feature if one.value is None else f"{one.feature} = {one.value}" for one in coefficients
    ]
    width = max(map(len, names))
    lines = ["  least squares would find (95%; * can be told from zero):"]
    for name, one in zip(names, coefficients, strict=True):
        told = f"    {name:<{width}}  {one.estimate:+.4g} ({one.low:+.4g} to {one.high:+.4g})"
        lines.append(f"{told} *" if one.clear else told)
    return lines
