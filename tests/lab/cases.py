"""Every baseline of the lab, small enough to enumerate where it is finite."""

from __future__ import annotations

import inspect

import numpy as np

from harmony.lab import baselines
from harmony.lab.baselines import (
    Baseline,
    BassilySmith,
    BinaryMechanism,
    Duchi,
    FiniteBaseline,
    HarmonyCategorical,
    HarmonyMixed,
    HarmonyNumeric,
    Hybrid,
    HybridMechanism,
    KaryResponse,
    Laplace,
    LocalHashing,
    Piecewise,
    Rappor,
    SubsetSelection,
    UnaryEncoding,
    Warner,
)

EPSILONS = (0.1, 1.0, 3.0)


def _cases() -> list[Baseline]:
    cases: list[Baseline] = []
    for e in EPSILONS:
        cases += [Duchi(e, d, fixed) for d in (1, 2, 3, 4, 5, 6) for fixed in (True, False)]
        cases += [Laplace(e, 3), Warner(e), HarmonyNumeric(e, 1), HarmonyNumeric(e, 5)]
        cases += [HarmonyCategorical(e, k) for k in (2, 5, 16)]
        cases += [BassilySmith(e, k, users=400) for k in (2, 6)]
        cases += [HarmonyMixed(e, 2, (2, 5)), HarmonyMixed(e, 0, (3, 4)), HarmonyMixed(e, 3, ())]
        cases += [Hybrid(e, 2, (3, 4), users=int(4000 / e**2))]
        cases += [KaryResponse(e, 2), KaryResponse(e, 9), BinaryMechanism(e, 5, (0, 3))]
        cases += [UnaryEncoding(e, 4), LocalHashing(e, 12), SubsetSelection(e, 9)]
        cases += [SubsetSelection(e, 3), Piecewise(e), HybridMechanism(e)]
    cases += [Rappor(3, bits=5, cohorts=4), Rappor(3, bits=6, hashes=1, cohorts=3, f=0.25)]
    return cases


CASES = _cases()
FINITE = [case for case in CASES if isinstance(case, FiniteBaseline)]


def label(case: Baseline) -> str:
    fields = {name: value for name, value in vars(case).items() if not name.startswith("_")}
    plain = {k: v for k, v in fields.items() if isinstance(v, int | float | tuple)}
    return type(case).__name__ + ",".join(f"{k}={v}" for k, v in plain.items()).replace(" ", "")


def mechanisms_that_exist() -> set[type]:
    """Every concrete baseline that the package exports."""
    found = [getattr(baselines, name) for name in baselines.__all__]
    return {
        one
        for one in found
        if inspect.isclass(one) and issubclass(one, Baseline) and not inspect.isabstract(one)
    }


def users(case: Baseline, n: int, rng: np.random.Generator) -> np.ndarray:
    """Invent skewed data of the kind that the mechanism takes."""
    if isinstance(case, Duchi | Laplace | HarmonyNumeric):
        return rng.beta(2, 5, (n, case.d)) * 2 - 1
    if isinstance(case, Piecewise | HybridMechanism):
        return rng.beta(2, 5, n) * 2 - 1
    if isinstance(case, Warner):
        return np.where(rng.random(n) < 0.3, 1, -1)
    if isinstance(case, HarmonyMixed | Hybrid):
        numbers = rng.beta(2, 5, (n, case.numeric)) * 2 - 1
        codes = [_codes(k, n, rng)[:, None] for k in case.sizes]
        return np.hstack([numbers, *codes])
    return _codes(case.k, n, rng)


def _codes(k: int, n: int, rng: np.random.Generator) -> np.ndarray:
    return np.minimum(rng.geometric(0.4, n) - 1, k - 1)
