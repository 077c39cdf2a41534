"""The path of a descent: what its gradients, taken together, tell about where it should end.

The gradient at weights w is b - S w, with S the covariance of all features.  Where devices have
told of it (`correlations`), that says how gradients fall.  Else only its diagonal is known; but
gradients at several weights tell more, and there are two ways to read them.  Either every
coordinate falls as the lines have shown the whole to fall, but for a factor of its own; that is all
there is to see where answers are noisy.  Or features take from each other what their correlations
have them take, which are any numbers of one size: then the gradients tell S along the path and, for
it is symmetric, across.  That finds effects in the difference of correlated features, as conjugate
directions would.  Each reading is a Gaussian process for every coordinate, and the gradients
themselves say which is the likelier.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from .correlations import Correlations, possible
from .features import Features, Gradient
from .mixture import GRID_SIZE, Mixture, posterior_weights

CURVATURE_DOUBT, FIRST_DOUBT = 0.5, 0.15
"""How far off it may be that a coordinate falls as the lines have shown the whole to fall, relative
to that; and where nobody is asked again, for then the doubt would only shrink what is told."""

CURVATURES = (0.05, 5.0)

CORRELATIONS = (0.03, 0.1, 0.3, 1.0)
"""The sizes that correlations of features may have."""

EVIDENCE = 3.0
"""By how much the logarithm of its likelihood must be greater for correlations to be seen."""

LEAST_EIGENVALUE = 0.02
"""Of the features' correlations: the least share of a variance that no other feature takes."""

MOST_COORDINATES = 1024
"""Above so many nobody looks for correlations: that takes their cube in time."""

ROUNDS = 3
"""How often priors are fitted anew to what is left once other features have taken their part."""

SCALE_DOUBT = 0.1
"""How far off the scale of a coordinate may be, of which places have told."""


@dataclass(frozen=True)
class Falls:
    """The gradient here, and how it falls: along a change x by c s x, with s the variances, or,
    where the `covariance` S of the features is seen, by S x."""

    here: Gradient
    curvatures: Floats
    covariance: Floats | None = None


@dataclass
class Path:
    """The gradients found so far, the weights at which they were, and what those should have taken.

    The latter is by what the lines have shown, were features uncorrelated but for that.
    """

    variances: Floats
    taken: Floats
    weights: list[Floats] = field(default_factory=list)
    takens: list[Floats] = field(default_factory=list)
    gradients: list[Gradient] = field(default_factory=list)
    correlations: Correlations | None = None
    """What devices have told of them by themselves, if they have."""
    at_first: NDArray[np.bool_] | None = None
    """The coordinates that are told at the first gradient alone, if there are any."""

    @classmethod
    def begun(
        cls,
        variances: Floats,
        correlations: Correlations | None = None,
        at_first: NDArray[np.bool_] | None = None,
    ) -> Path:
        return cls(variances, np.zeros_like(variances), [], [], [], correlations, at_first)

    def add(self, gradient: Gradient, weights: Floats) -> None:
        """Keep a gradient that was found here; what is told at first alone belongs to the first."""
        if self.gradients and self.at_first is not None:
            first, again = self.gradients[0], self.at_first
            means = np.where(again, gradient.means, first.means)
            precisions = np.where(again, gradient.precisions, first.precisions)
            self.gradients[0] = Gradient(means, precisions)
            gradient = Gradient(gradient.means, np.where(again, 0.0, gradient.precisions))
        self.gradients.append(gradient)
        self.weights.append(weights)
        self.takens.append(self.taken)

    def take(self, change: Floats) -> None:
        """Go on along a change, as far as a line has led: nothing should be left along it."""
        self.taken = self.taken + self.variances * change

    def falls(self) -> Falls:
        """Return what is known here, after a gradient."""
        if self.correlations is not None:
            return self._told(self.correlations)
        variances, weights = self.variances, np.stack(self.weights)
        found = np.stack([one.means for one in self.gradients], axis=1)
        noise = 1 / np.maximum(np.stack([one.precisions for one in self.gradients], axis=1), 1e-30)
        taken = np.stack(self.takens, axis=1)
        doubt = np.full(len(variances), CURVATURE_DOUBT**2)
        if self.at_first is not None:
            doubt[self.at_first] = FIRST_DOUBT**2
        alone = _Process.fit(noise, doubt[:, None, None] * _squares(taken), found + taken)
        roots = np.sqrt(variances)
        expected, moved = variances[:, None] * weights.T, roots[:, None] * weights.T
        shared = variances[:, None, None] * (moved.T @ moved - _squares(moved))
        ones = np.ones(len(variances))
        processes = {}
        if len(variances) <= MOST_COORDINATES and weights.any():
            for size in CORRELATIONS:
                processes[size] = _Process.fit(noise, size**2 * shared, found + expected)
        size = max(processes, key=lambda one: processes[one].likelihood, default=0.0)
        if not size or processes[size].likelihood < alone.likelihood + EVIDENCE:
            curvatures = 1 - doubt * (taken * alone.pulls).sum(axis=1)
            return Falls(alone.last(taken), np.clip(curvatures, *CURVATURES))
        process = processes[size]
        rows = -(size**2) * (roots[:, None] * process.pulls) @ moved.T
        seen = variances[:, None] * np.einsum(
            "jk,ikl,jl->ij", moved, process.inverse, moved, optimize=True
        )
        covariance = roots[:, None] * _correlations(rows, size**2 * seen, size) * roots
        return Falls(process.last(expected), ones, covariance)

    def _told(self, belief: Correlations) -> Falls:
        """Return what is known here, if features go together as devices have told.

        Only scales may be off then, those of the gradients and those of the weights.
        """
        roots = np.sqrt(self.variances)
        found = np.stack([one.means for one in self.gradients], axis=1) / roots[:, None]
        precisions = np.stack([one.precisions for one in self.gradients], axis=1)
        noise = 1 / np.maximum(precisions * self.variances[:, None], 1e-30)
        moved = roots[:, None] * np.stack(self.weights, axis=1)
        correlations = possible(belief.matrix, belief.errors)
        expected = correlations @ moved
        scales = _squares(correlations) + correlations[:, :, None] ** 2 * np.eye(len(roots))
        doubts = belief.doubts + SCALE_DOUBT**2 * scales
        last = _Process.fit(noise, moved.T @ doubts @ moved, found + expected).last(expected)
        here = Gradient(roots * last.means, last.precisions / self.variances)
        covariance = roots[:, None] * correlations * roots
        return Falls(here, np.ones_like(roots), covariance)

    def target(
        self, known: Features, total: float, grid_size: int = GRID_SIZE
    ) -> tuple[Floats, Mixture, Gradient, Floats | None]:
        """Return the weights to go to, the priors that say so, and what those were fitted to.

        The last is the covariance of the features, if it is seen.
        """
        now, falls = self.weights[-1], self.falls()
        wanted = Gradient(
            falls.here.means / falls.curvatures + self.variances * now,
            falls.here.precisions * falls.curvatures**2,
        )
        if self.correlations is not None and falls.covariance is not None:
            begun = known, total, grid_size, now
            return *_apart(*begun, falls.here, falls.covariance), falls.covariance
        mixture = Mixture.fit(known, wanted, total, grid_size)
        if falls.covariance is None:
            return posterior_weights(known, wanted, mixture), mixture, wanted, None
        crossing = falls.covariance - np.diag(self.variances)
        for _ in range(ROUNDS):
            aimed = _solved(known, mixture, wanted.plus(crossing @ now), falls.covariance)
            own = wanted.plus(crossing @ (now - aimed))
            mixture = Mixture.fit(known, own, total, grid_size)
        return aimed, mixture, own, falls.covariance


@dataclass(frozen=True)
class _Process:
    """A Gaussian process for each coordinate, of unknown mean, that was observed some times."""

    covariance: Floats
    inverse: Floats
    level: Floats
    pulls: Floats
    likelihood: float

    @classmethod
    def fit(cls, noise: Floats, covariance: Floats, observed: Floats) -> _Process:
        total = covariance + noise[:, :, None] * np.eye(noise.shape[1])
        inverse: Floats = np.asarray(np.linalg.inv(total), np.float64)
        weights = inverse.sum(axis=2)
        precision = np.maximum(weights.sum(axis=1), 1e-300)
        level = (weights * observed).sum(axis=1) / precision
        missed = observed - level[:, None]
        pulls = np.einsum("ikl,il->ik", inverse, missed)
        size = np.linalg.slogdet(total)[1] + np.log(precision) + (missed * pulls).sum(axis=1)
        return cls(covariance, inverse, level, pulls, -float(size.sum()) / 2)

    def last(self, expected: Floats) -> Gradient:
        """Return the gradient where it was observed last, and should have fallen by `expected`."""
        covariances = self.covariance[:, :, -1]
        means = self.level + (covariances * self.pulls).sum(axis=1) - expected[:, -1]
        gained = np.einsum("ikl,il->ik", self.inverse, covariances)
        doubt = (1 - gained.sum(axis=1)) ** 2 / np.maximum(self.inverse.sum(axis=(1, 2)), 1e-300)
        variance = self.covariance[:, -1, -1] - (gained * covariances).sum(axis=1) + doubt
        return Gradient(means, 1 / np.maximum(variance, 1e-30))


def _squares(rows: Floats) -> Floats:
    return rows[:, :, None] * rows[:, None, :]


def _correlations(rows: Floats, seen: Floats, size: float) -> Floats:
    """Return the correlations that are nearest to what each row says of its own ones.

    They are of this `size`, and `seen` is the share of their variance by which a row knows them:
    each pair of features is told by both.  No direction has less variance than its error.
    """
    weights = 1 / (1 - np.clip(seen, 0.0, 1 - 1e-6))
    precisions = weights + weights.T - 1
    joined = (rows * weights + (rows * weights).T) / precisions
    np.fill_diagonal(joined, 1.0)

    def errors(vectors: Floats) -> Floats:
        variances = np.einsum("ik,ij,jk->k", vectors**2, 1 / precisions, vectors**2)
        found: Floats = size * np.sqrt(2 * variances)
        return found

    return possible(joined, errors, LEAST_EIGENVALUE)


def _apart(
    known: Features,
    total: float,
    grid_size: int,
    now: Floats,
    here: Gradient,
    covariance: Floats,
) -> tuple[Floats, Mixture, Gradient]:
    """Return the weights to go to, the priors that say so, and what those were fitted to.

    What a feature can explain is what it has of its own, beside all others: by that priors are
    scaled, so the weights of features that nearly determine one another may be large.
    """
    inverse = np.linalg.inv(covariance)
    apart = replace(known, variances=1 / np.diag(inverse))
    least_squares = now + inverse @ here.means
    errors = inverse**2 @ (1 / np.maximum(here.precisions, 1e-30))
    own = Gradient(apart.variances * least_squares, 1 / (apart.variances**2 * errors))
    mixture = Mixture.fit(apart, own, total, grid_size)
    return _solved(apart, mixture, here.plus(covariance @ now), covariance), mixture, own


def _solved(known: Features, mixture: Mixture, summed: Gradient, covariance: Floats) -> Floats:
    """Return the posterior mean of weights w, if the covariance times w plus noise is `summed`.

    The priors are written as what they do where the covariance is diagonal.
    """
    precisions = np.maximum(summed.precisions, 1e-30)
    identity = np.eye(len(precisions))
    shrunk = [
        posterior_weights(
            known, Gradient(row / (known.variances * precisions), precisions), mixture
        )
        for row in identity
    ]
    weighed = covariance * precisions
    more = weighed @ covariance - np.diag(precisions * known.variances**2)
    solver = np.stack(shrunk, axis=1)
    aimed = solver @ (weighed @ summed.means)
    return np.asarray(np.linalg.solve(identity + solver @ more, aimed), np.float64)
