"""The product's `auto` on the people of figure 2, beside the paper's methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...attributes import Attribute, Categorical, Numeric
from ...learn import Training
from ...learn.collecting import train
from ...learn.records import Records
from .encoded import Encoded

Rows = Callable[[NDArray[Any]], NDArray[Any]]
"""Takes the rows that are wanted out of a column."""


def auto_error(
    people: Encoded, loss: str, epsilon: float, start: int, count: int, seed: int
) -> float:
    """Train on everybody but `count` people from number `start` on, and test on those.

    >>> from harmony.lab.populations import us
    >>> from .encoded import encode_people
    >>> people = encode_people(us(20_000), seed=1)
    >>> 0.1 < auto_error(people, "squared", 2.0, 0, 2000, seed=1) < 0.3
    True
    """
    label: Attribute = Numeric("target", -1, 1)
    target: NDArray[Any] = people.income
    if loss != "squared":
        label, target = Categorical("target", [-1, 1]), people.label.astype(np.int8)
    features = [_feature(one) for one in people.features]
    devices = people.n - count
    training = Training(people.name, epsilon, loss, label, features, devices, evaluation=0)
    tested = slice(start, start + count)
    table = _columns(people, _others(start, count))
    table["target"] = _others(start, count)(target)
    records = Records(table, features, label)
    model = train(training, records, seed=seed, progress=False, threads=1).model
    scores = model.scores(_columns(people, lambda column: column[tested]))
    if loss == "squared":
        return float(np.mean((scores - target[tested]) ** 2))
    return float(np.mean((scores >= 0) != (target[tested] > 0)))


def _others(start: int, count: int) -> Rows:
    """Take everybody but `count` from number `start` on: those behind them first."""
    return lambda column: np.concatenate([column[start + count :], column[:start]])


def _feature(attribute: Attribute) -> Attribute:
    """The attribute as it is in `Encoded`: scaled to [-1, 1], or codes 0..k-1."""
    if isinstance(attribute, Numeric):
        return Numeric(attribute.name, -1, 1)
    return Categorical(attribute.name, range(len(attribute.values)))


def _columns(people: Encoded, rows: Rows) -> dict[str, NDArray[Any]]:
    """Take `rows` of every attribute, a column for each."""
    numbers, codes = iter(people.matrix.numbers.T), iter(people.matrix.codes.T)
    return {
        one.name: rows(next(numbers if isinstance(one, Numeric) else codes))
        for one in people.features
    }
