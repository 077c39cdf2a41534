"""One point of figure 1: the average largest error of one method at one epsilon."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ...attributes import Attribute, Numeric
from ...mechanisms import Grid, Linear, Mechanism
from ...survey import Survey
from . import draws
from .summary import Floats, Summary

PANELS = ("categorical", "numeric")
METHODS = ("harmony", "hybrid", "auto", "auto-consistent", "auto-balanced")
PROTOCOLS = ("published", "text")


@dataclass(frozen=True)
class Measured:
    """The mean over `runs` of the L-infinity error, and the standard error of that mean."""

    protocol: str
    dataset: str
    panel: str
    method: str
    epsilon: float
    users: int
    runs: int
    seed: int
    value: float
    stderr: float

    @property
    def settings(self) -> tuple[object, ...]:
        """All but the result."""
        return (
            self.protocol, self.dataset, self.panel, self.method, self.epsilon, self.users,
            self.runs, self.seed,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Experiment:
    """A population asked under a protocol.

    "text" is what the paper's section 5.2 describes: everybody holds the whole tuple, and
    answers one of all d attributes (or splits epsilon over all d, for Hybrid).  "published" is
    what the plotted numbers follow: the numeric and the categorical attributes are two
    experiments, each with the whole epsilon.
    """

    summary: Summary
    attributes: list[Attribute]
    protocol: str
    runs: int
    seed: int

    def measure(self, panel: str, method: str, epsilon: float) -> Measured:
        """Run the experiment; the result depends on the seed and the point, not on the order."""
        name = f"{self.protocol}/{self.summary.name}/{panel}/{method}/{epsilon}"
        rng = np.random.default_rng([self.seed, zlib.crc32(name.encode())])
        largest = np.abs(self._errors(panel, method, epsilon, rng)).max(axis=1)
        error = float(largest.std(ddof=1) / np.sqrt(self.runs)) if self.runs > 1 else float("nan")
        return Measured(
            self.protocol, self.summary.name, panel, method, epsilon, self.summary.n,
            self.runs, self.seed, float(largest.mean()), error,
        )  # fmt: skip

    def _errors(self, panel: str, method: str, epsilon: float, rng: np.random.Generator) -> Floats:
        if method.startswith("auto"):
            return self._auto_errors(panel, method, epsilon, rng)
        d = self._attributes_asked(panel)
        choices: dict[tuple[str, str], Callable[..., Floats]] = {
            ("numeric", "harmony"): partial(draws.harmony_means, self.summary, epsilon, d),
            ("numeric", "hybrid"): partial(
                draws.duchi_means, self.summary, epsilon * len(self.summary.numbers) / d
            ),
            ("categorical", "harmony"): partial(
                draws.harmony_frequencies, self.summary, epsilon, d
            ),
            ("categorical", "hybrid"): partial(
                draws.bassily_smith_frequencies, self.summary, epsilon / d
            ),
        }
        return choices[panel, method](self.runs, rng)

    def _auto_errors(
        self, panel: str, method: str, epsilon: float, rng: np.random.Generator
    ) -> Floats:
        survey = self.survey(panel, epsilon, balanced=method == "auto-balanced")
        if survey.answers != 1:
            raise ValueError("figure 1 compares one answer a report; epsilon must be below 2")
        shares = np.array(survey.weights) / sum(survey.weights)
        chosen = list(zip(survey.mechanisms[0], shares, strict=True))
        if panel == "numeric":
            grids = [(one, share) for one, share in chosen if isinstance(one, Grid)]
            asked = np.array([share for _, share in grids])
            return draws.auto_means([g for g, _ in grids], self.summary, asked, self.runs, rng)
        linears = [(one, share) for one, share in chosen if isinstance(one, Linear)]
        asked = np.array([share for _, share in linears])
        raw, consistent = draws.auto_frequencies(
            [one for one, _ in linears], self.summary, asked, self.runs, rng
        )
        return consistent if method == "auto-consistent" else raw

    def _attributes_asked(self, panel: str) -> int:
        if self.protocol == "text":
            return self.summary.d
        return len(self.summary.numbers if panel == "numeric" else self.summary.codes)

    def survey(self, panel: str, epsilon: float, *, balanced: bool = False) -> Survey:
        """The survey that the product would run; `balanced` asks noisier attributes more often."""
        asked = [
            one
            for one in self.attributes
            if self.protocol == "text" or isinstance(one, Numeric) == (panel == "numeric")
        ]
        survey = Survey(f"{self.summary.name}-{self.protocol}", asked, epsilon)
        if not balanced:
            return survey
        return Survey(survey.name, balanced_weights(asked, survey.mechanisms[0]), epsilon)


def balanced_weights(
    attributes: Sequence[Attribute], mechanisms: Sequence[Mechanism]
) -> list[Attribute]:
    """Return the attributes with weights in proportion to the variance of one report about them.

    Then every estimate has the same variance, and the largest error of all is least.

    >>> from fractions import Fraction
    >>> from harmony import Boolean, Categorical
    >>> asked = [Boolean("wifi"), Categorical("maker", range(16))]
    >>> linears = [Linear.design(Fraction("0.1"), len(one.values)) for one in asked]
    >>> [one.weight for one in balanced_weights(asked, linears)]
    [18, 64]
    """
    noise = np.array(
        [one.worst_variance if isinstance(one, Grid) else one.zero_variance for one in mechanisms]
    )
    weights = np.maximum(np.rint(64 * noise / noise.max()), 1).astype(int)
    return [
        replace(one, weight=int(weight)) for one, weight in zip(attributes, weights, strict=True)
    ]


def methods_of(panel: str) -> tuple[str, ...]:
    """Frequencies can be made consistent; a mean already is."""
    return METHODS if panel == "categorical" else tuple(m for m in METHODS if "cons" not in m)


def expected_largest(count: int) -> float:
    """Return E[max of `count` independent |N(0, 1)|], by integrating its tail.

    >>> round(expected_largest(1), 4), round(expected_largest(6), 3)
    (0.7979, 1.654)
    """
    from scipy.special import erf

    x = np.linspace(0, 10, 100_001)
    return float(np.trapezoid(1 - erf(x / np.sqrt(2)) ** count, x))
