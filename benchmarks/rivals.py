"""The rivals' variances in closed form, each at its best setting."""

from __future__ import annotations

import math


def pure(p: float, q: float) -> float:
    """n times the variance at frequency zero of a protocol that supports with p and q."""
    return q * (1 - q) / (p - q) ** 2


def randomised_response(epsilon: float, k: int) -> float:
    """GRR: the true value with e^eps times the probability of each other one."""
    e = math.exp(epsilon)
    return pure(e / (e + k - 1), 1 / (e + k - 1))


def unary_encoding(epsilon: float) -> float:
    """OUE (Wang et al. 2017): 4 e^eps / (e^eps - 1)^2."""
    return 4 * math.exp(epsilon) / math.expm1(epsilon) ** 2


def local_hashing(epsilon: float) -> float:
    """OLH (Wang et al. 2017), with the best integer number of hash values."""
    e = math.exp(epsilon)
    return min(pure(e / (e + g - 1), 1 / g) for g in range(2, int(e) + 4))


def subset_selection(epsilon: float, k: int) -> float:
    """Subset selection (Ye and Barg 2018), with the best subset size."""
    e = math.exp(epsilon)

    def variance(size: int) -> float:
        p = size * e / (size * e + k - size)
        return pure(p, (p * (size - 1) + (1 - p) * size) / (k - 1))

    # The best size is near k / (e^eps + 1); far beyond it the variance only grows.
    return min(variance(size) for size in range(1, min(k, int(2 * k / (e + 1)) + 3)))


def papers_hadamard(epsilon: float) -> float:
    """The paper's categorical method, its k x k matrix with the all-ones row."""
    return (math.exp(epsilon) + 1) ** 2 / math.expm1(epsilon) ** 2


def two_point(epsilon: float) -> float:
    """The paper's Algorithm 3 (and Duchi et al. for one attribute): worst-case variance."""
    return papers_hadamard(epsilon)


def piecewise(epsilon: float, t: float = 1.0) -> float:
    """The Piecewise Mechanism (Wang et al. 2019) at t; its worst case is t = 1."""
    s = math.exp(epsilon / 2)
    return t * t / (s - 1) + (s + 3) / (3 * (s - 1) ** 2)


def hybrid(epsilon: float) -> float:
    """The Hybrid Mechanism (Wang et al. 2019), with its optimal mixing share: worst case."""
    root = math.sqrt(241)
    switch = math.log(
        (-5 + 2 * (6353 - 405 * root) ** (1 / 3) + 2 * (6353 + 405 * root) ** (1 / 3)) / 27
    )
    share = 1 - math.exp(-epsilon / 2) if epsilon > switch else 0.0
    return max(
        share * piecewise(epsilon, t) + (1 - share) * (two_point(epsilon) - t * t)
        for t in (0.0, 1.0)
    )
