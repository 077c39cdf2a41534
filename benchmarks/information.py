"""What reports of epsilon can tell at most of the effects of features, as Fisher information.

Let S be the score of a record z: the derivative of its log-likelihood in the effects.  Let
k = e^ε - 1.  An answer m of a channel whose chances differ by no more than e^ε has
Q(m | z) = c (1 + k h(z)) with 0 <= h <= 1.

1. The information of one report is I = Σ c k² g gᵀ / A, with g = E[h S] and A = 1 + k E[h].
2. Chances add up to 1 for every record, so Σ c B = 1 with B = 1 + k L(h), whatever weights L of
   records add up to 1.  If B cannot be negative, I is a mean of k² g gᵀ / (A B): its trace is at
   most T = max over h of k² |g|² / (A B).  L may be negative somewhere, which is sharper.
3. Information adds up, also where a question depends on earlier answers (the chain rule).

√T is k times the largest 2 u·g / (s A + B / s) over unit vectors u, s > 0 and h.  For a given s it
is the ρ at which F(u) = E[max(0, 2 u·S - τ)] is ρ (s + 1/s), with the threshold
τ(z) = ρ k (s + l(z) / s) and l the density of L.  No search over directions is needed:

- *Classes.*  For every γ(z) > 0, F(u) <= E[(2 u·S - τ + γ)² / (4 γ)], since h² <= h.  That has
  second moments only, and eigenvalues bound it over all u.
- *Numbers* with normal noise: S = r x, and r is standard normal whatever x is.  Given x, F is
  f(x·u) in closed form, and E[(x·u)²] = 1: F is at most the concave hull at 1 of f as a function of
  the square.

Both hold for every such L; the best of a few is taken.  s runs over a grid, as do the squares.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import ndtr

Floats = NDArray[np.float64]

SHARES = (0.0, 0.5, 1.0)
"""How much of L lies on the second class, or on large residuals; the others are everybody."""

TAKEN = (0.5, 0.75, 0.9, 0.97)
"""How much of k times L may be taken from the first class, where L is below zero: B stays above."""

BALANCES = 25
"""Values of s that are tried."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Records with their chances: scores of mean zero, and which are of the second class."""

    values: Floats
    chances: Floats
    second: NDArray[np.bool_]

    @property
    def rate(self) -> float:
        return float(self.chances[self.second].sum())

    @property
    def largest(self) -> float:
        """The most that a record itself tells along any direction."""
        return float(np.linalg.eigvalsh(_second_moment(self, np.full(len(self.second), True)))[-1])

    def shares(self, epsilon: float) -> list[float]:
        """Return shares of L on the second class to try, with those above 1 that keep B above 0."""
        most = 1 / (math.expm1(epsilon) * (1 - self.rate))
        return [*SHARES, *(1 + taken * most for taken in TAKEN)]

    def tilted(self, share: float) -> Floats:
        """Return the density of an L that has this share on the second class."""
        return np.asarray(1 - share + share * self.second / self.rate, np.float64)


def balances(epsilon: float, taken: float = 0.0) -> Floats:
    """Return s = √(B / A) to try; A is from 1 to e^ε, B from 1 - taken to e^ε + taken."""
    low, high = math.log(1 - taken) - epsilon, math.log(math.exp(epsilon) + taken)
    return np.asarray(np.exp(np.linspace(low, high, BALANCES) / 2), np.float64)


def most_of_anything(epsilon: float) -> float:
    """Return a bound on T that holds for all scores with E[S Sᵀ] = 1: (e^ε - 1)² / (4 e^ε).

    >>> round(most_of_anything(0.8), 4)
    0.1687
    """
    return math.sinh(epsilon / 2) ** 2


def most_of_classes(scores: Scores, epsilon: float) -> float:
    """Return a bound on T from the second moments of scores in each class."""
    seconds = [_second_moment(scores, scores.second == one) for one in (False, True)]
    mean = float(np.linalg.norm(scores.values[scores.second].T @ scores.chances[scores.second]))
    found = []
    for share in scores.shares(epsilon):
        taken = max(0.0, share - 1) * (1 - scores.rate) * math.expm1(epsilon)
        tried = balances(epsilon, taken)
        bounds = [_by_moments(seconds, mean, scores.rate, epsilon, share, s) for s in tried]
        found.append(max(bounds))
    return min(*found, scores.largest * most_of_anything(epsilon))


def _second_moment(scores: Scores, where: NDArray[np.bool_]) -> Floats:
    values = scores.values[where]
    return np.asarray((values * scores.chances[where, None]).T @ values, np.float64)


def _by_moments(
    seconds: list[Floats], mean: float, rate: float, epsilon: float, share: float, s: float
) -> float:
    """Return (k ρ)² for one s and one L, with the best γ of each class.

    With τ = ρ t and γ = ρ g the bound on F is λ / ρ + |b| + ρ c, with the largest eigenvalue λ.
    Every g gives a bound, so the search for the best needs not end at it.
    """
    k, sides = math.expm1(epsilon), s + 1 / s
    chances = np.array([1 - rate, rate])
    t = k * (s + np.array([1 - share, 1 - share + share / rate]) / s)

    def root(logs: Floats) -> float:
        g = np.exp(logs)
        left = sides - float(chances @ ((g - t) ** 2 / (4 * g)))
        if left <= 0:
            return 1e6
        top = float(np.linalg.eigvalsh(seconds[0] / g[0] + seconds[1] / g[1])[-1])
        linear = mean * abs(t[0] / g[0] - t[1] / g[1])
        return float((linear + math.sqrt(linear**2 + 4 * top * left)) / (2 * left))

    start = np.log(np.abs(t) + (2 * sides if np.trace(seconds[0]) else 1e-6))
    best = minimize(root, start, method="Nelder-Mead", options={"maxfev": 50, "xatol": 1e-3})
    return float(k * min(best.fun, root(start))) ** 2


def most_of_numbers(epsilon: float) -> float:
    """Return a bound on T for labels with normal noise, whatever the features are.

    The sign of the residual, with randomised response, has 2 / π tanh²(ε / 2).

    >>> most_of_numbers(0.8) > 2 / math.pi * math.tanh(0.4) ** 2
    True
    """
    return min(max(_by_residuals(epsilon, share, s) for s in balances(epsilon)) for share in SHARES)


def _by_residuals(epsilon: float, share: float, s: float) -> float:
    """Return (k ρ)² for one s, and an L that is tilted to large residuals, by bisection."""
    k, low, high = math.expm1(epsilon), 0.0, 4.0
    squares = np.concatenate([np.linspace(0, 2, 41), np.geomspace(2.1, 100, 30)])
    for _ in range(30):
        rho = (low + high) / 2
        level = rho * k * (s + (1 - share) / s)
        slope = rho * k * share * math.sqrt(math.pi / 2) / s
        gains = _expected_excess(2 * np.sqrt(squares) - slope, level)
        low, high = (rho, high) if _hull(squares, gains) > rho * (s + 1 / s) else (low, rho)
    return (k * high) ** 2


def _expected_excess(slopes: Floats, level: float) -> Floats:
    """Return E[max(0, slope r - level)] over r > 0 of the standard normal; level > 0."""
    places = level / np.maximum(slopes, 1e-9)
    density = np.exp(-0.5 * np.minimum(places, 38.0) ** 2) / math.sqrt(2 * math.pi)
    return np.asarray(np.maximum(slopes * density - level * ndtr(-places), 0.0), np.float64)


def _hull(x: Floats, y: Floats) -> float:
    """Return at 1 the concave hull of the points: the highest line between two of them.

    >>> _hull(np.array([0.0, 0.5, 1.0, 2.0]), np.array([0.0, 0.0, 1.0, 4.0]))
    2.0
    """
    left, right = x <= 1, x > 1
    far = (x[right] - 1) / (x[right] - x[left][:, None])
    return float(np.max(far * y[left][:, None] + (1 - far) * y[right]))


def least_error(sizes: Floats, devices: int, most: float, largest: float = 1.0) -> float:
    """Return the least mean of |estimate - effects|², over effects of these mean squares.

    By the van Trees inequality no estimate is better than Σ 1 / (I_i + 1 / size_i), and the best
    way to split the information nT is to fill up (reverse water filling).  No I_i
    exceeds what records tell without privacy, `largest` a device.

    >>> least_error(np.array([0.5, 0.5]), 100, 0.04)
    0.5
    """
    known, cap = 1 / sizes, devices * largest
    low, high = 0.0, devices * most + float(known.max())
    for _ in range(100):
        level = (low + high) / 2
        spent = float(np.clip(level - known, 0, cap).sum())
        low, high = (level, high) if spent < devices * most else (low, level)
    return float(np.sum(1 / (np.clip(high - known, 0, cap) + known)))
