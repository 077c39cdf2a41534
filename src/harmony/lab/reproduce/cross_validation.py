"""One point of figure 2: the cross-validated error of one method at one epsilon."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...bulk.threads import cores
from ...learn.paper import STEPS, error, fit
from .encoded import Encoded
from .experiment import Measured
from .product import auto_error

PANELS = ("linear", "logistic", "svm")
LOSSES = {"linear": "squared", "logistic": "logistic", "svm": "hinge"}
METHODS = ("sgd", "mgd", "mgd-dr", "non-private", "auto")
"""The curves of the figure, and the product's."""
RIVALS: dict[str, dict[str, Any]] = {
    "sgd-laplace": {"method": "sgd", "noise": "laplace"},
    "sgd-harmony": {"method": "sgd", "noise": "harmony"},
    "mgd-hindsight": {"method": "mgd"},
}
"""Beyond the figure: other noise for SGD, and MGD with the best of many steps."""
FOLDS = 10


def methods_of(panel: str, methods: Sequence[str] = METHODS) -> tuple[str, ...]:
    """The projection is for linear regression only.

    >>> methods_of("svm")
    ('sgd', 'mgd', 'non-private', 'auto')
    """
    return tuple(one for one in methods if one != "mgd-dr" or panel == "linear")


def protocol(folds: int) -> str:
    """Name the cross-validation.

    >>> protocol(10)
    '10-fold'
    """
    return f"{folds}-fold"


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """People on whom every method is tried, a fold at a time; not all folds need be tested."""

    people: Encoded
    folds: int
    tested: int
    seed: int

    def measure(self, panel: str, method: str, epsilon: float) -> Measured:
        """Return the mean error of the folds; it depends on the seed and the point, not the order.

        The standard error is that of the folds' differences, which share most of their people:
        it tells how much the noise of the method matters.
        """
        folds = list(self.people.folds(self.folds))[: self.tested]

        def one(fold: int) -> list[float]:
            return self._errors(panel, method, epsilon, fold, *folds[fold])

        with ThreadPoolExecutor(min(cores(), self.tested)) as threads:
            errors = np.array(list(threads.map(one, range(self.tested))))
        chosen = errors[:, np.argmin(errors.mean(axis=0))]
        stderr = chosen.std(ddof=1) / np.sqrt(self.tested) if self.tested > 1 else np.nan
        return Measured(
            protocol(self.folds), self.people.name, panel, method, epsilon, self.people.n,
            self.tested, self.seed, float(chosen.mean()), float(stderr),
        )  # fmt: skip

    def _errors(
        self, panel: str, method: str, epsilon: float, fold: int, start: int, count: int
    ) -> list[float]:
        """Fit outside one fold and return the error inside: one for each step that is tried."""
        people, loss, y = self.people, LOSSES[panel], self.people.target(panel)
        name = f"{people.name}/{panel}/{method}/{epsilon}/{fold}"
        seed = [self.seed, zlib.crc32(name.encode())]
        if method == "auto":
            return [auto_error(people, loss, epsilon, start, count, seed=sum(seed))]
        chosen = RIVALS.get(method, {"method": method})
        found = []
        for step in STEPS if method == "mgd-hindsight" else [None]:
            coefficients, intercept, _ = fit(
                x=people.matrix, y=y, loss=loss, epsilon=epsilon, seed=seed, step=step,
                first=start + count, devices=people.n - count, **chosen,
            )  # fmt: skip
            found.append(
                error(
                    people.matrix, y, coefficients, intercept, loss=loss, first=start, count=count
                )
            )
        return found
