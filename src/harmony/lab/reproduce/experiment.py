"""One point of figure 1: the average largest error of one method at one epsilon."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ...arrays import Floats
from ...attributes import Attribute, Numeric
from ...mechanisms import Grid, Linear
from ...survey import Survey
from . import draws
from .summary import Summary

PANELS = ("categorical", "numeric")
METHODS = ("harmony", "hybrid", "auto", "auto-consistent")
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
        survey = self.survey(panel, epsilon)
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

    def survey(self, panel: str, epsilon: float) -> Survey:
        """The survey that the product would run.

        It balances errors as shares of the domain; the paper measures numbers from -1 to 1,
        which is twice as strict: four times the weight.
        """
        asked = [
            replace(one, weight=4) if isinstance(one, Numeric) else one
            for one in self.attributes
            if self.protocol == "text" or isinstance(one, Numeric) == (panel == "numeric")
        ]
        return Survey(f"{self.summary.name}-{self.protocol}", asked, epsilon)


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
