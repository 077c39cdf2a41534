"""Class weights: what a model would be, were some classes more frequent than they are.

A classifier that was fitted with weights w has scores that are greater by log(w_c), up to what all
have in common.  So weights are applied after the training, to the intercept.  They cost no
privacy: how frequent classes are is known from what devices have told.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..arrays import Floats
from ..errors import SurveyError
from .trainer import QuestionEstimate

ClassWeight = Mapping[Any, float] | str | None


def checked_weights(class_weight: ClassWeight, classes: Sequence[Any]) -> ClassWeight:
    """Refuse weights that are not None, "balanced", or a positive number for each class.

    >>> checked_weights({0: 2.0}, [0, 1])
    {0: 2.0}
    """
    if class_weight is None or class_weight == "balanced":
        return class_weight
    if not isinstance(class_weight, Mapping):
        raise SurveyError("'class_weight' must be None, 'balanced', or a weight for each class")
    if unknown := [one for one in class_weight if one not in list(classes)]:
        raise SurveyError(f"'class_weight' names {unknown[0]!r}, which is no class")
    for name, weight in class_weight.items():
        if isinstance(weight, bool) or not 0 < float(weight) < math.inf:
            raise SurveyError(f"'class_weight' of {name!r} must be a positive number")
    return class_weight


def shifts(class_weight: ClassWeight, classes: Sequence[Any], rates: Floats) -> Floats:
    """Return what to add to the score of each class, for classes of these rates.

    >>> shifts("balanced", ["no", "yes"], np.array([0.9, 0.1])).round(3).tolist()
    [0.105, 2.303]
    """
    if class_weight is None:
        return np.zeros(len(rates))
    if isinstance(class_weight, str):
        return -np.log(rates)
    return np.log([float(class_weight.get(one, 1.0)) for one in classes])


def private_rates(means: Sequence[QuestionEstimate]) -> Floats:
    """Return how frequent each class is, from the mean of a label that is 1 for it and -1 else.

    A class that seems to be rarer than the standard error of that is taken to be as rare.

    >>> half = QuestionEstimate(100, np.array([0.0]), np.array([0.01]))
    >>> private_rates([half, half]).tolist()
    [0.5, 0.5]
    """
    least = [math.sqrt(one.variance[0]) / 2 if one.n else 1.0 for one in means]
    rates = np.maximum([(1 + one.mean) / 2 for one in means], np.minimum(least, 1 / len(means)))
    shares: Floats = rates / rates.sum()
    return shares
