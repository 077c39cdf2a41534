"""Attack a mechanism as a black box: a lower bound on its epsilon, with a stated confidence.

The attacker picks two inputs and a set of reports E, and counts how often each input's report falls
in E.  If it does with probability p for one input and q for the other, epsilon is at least
log(p / q).  Half of the samples choose the inputs and E; the other half, which the choice has not
seen, bound p from below and q from above (Clopper and Pearson 1934, exact for every sample size).
So a bound above the claimed epsilon is wrong with probability at most 1 - confidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import HarmonyError

Outcomes = NDArray[np.int64]
Sampler = Callable[[int, int], Outcomes]
"""Called with the number of an input and a count: returns that many reports, as integers."""

MOST_OUTCOMES = 1 << 20


@dataclass(frozen=True)
class EpsilonBound:
    """What an attack found: epsilon is at least `lower`, with this confidence."""

    name: str
    claimed: float
    lower: float
    confidence: float
    samples: int
    inputs: tuple[int, int]
    event: tuple[int, ...]

    @property
    def violated(self) -> bool:
        """Whether the claim is refuted."""
        return self.lower > self.claimed

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"violated": self.violated}


def clopper_pearson(hits: int, trials: int, level: float) -> tuple[float, float]:
    """Return one-sided bounds on a probability, each wrong with probability at most `level`.

    >>> [round(bound, 4) for bound in clopper_pearson(0, 100, 0.05)]
    [0.0, 0.0295]
    """
    from scipy.stats import beta

    low = 0.0 if hits == 0 else float(beta.ppf(level, hits, trials - hits + 1))
    high = 1.0 if hits == trials else float(beta.ppf(1 - level, hits + 1, trials - hits))
    return low, high


def attack(
    name: str,
    sampler: Sampler,
    inputs: int,
    claimed: float,
    *,
    samples: int = 100_000,
    confidence: float = 0.99,
) -> EpsilonBound:
    """Return the best lower bound on epsilon from `samples` reports of each of `inputs` inputs.

    >>> from harmony.lab.attack.samplers import baseline_sampler
    >>> from harmony.lab.baselines import Duchi
    >>> duchi = Duchi(1.0, d=2, fixed=False)
    >>> sampler, inputs = baseline_sampler(duchi, np.random.default_rng(7))
    >>> attack("Duchi as published", sampler, inputs, claimed=1.0).violated
    True
    """
    if inputs < 2:
        raise HarmonyError("an attack needs at least two inputs to tell apart")
    if not 0 < confidence < 1 or samples < 100:
        raise HarmonyError("'confidence' must lie between 0 and 1, 'samples' be at least 100")
    half = samples // 2
    seen = [_counted(sampler(place, half)) for place in range(inputs)]
    level = (1 - confidence) / 2
    pair, event = _best_event(seen, half, level)
    chosen = np.array(event, np.int64)
    hits = [int(np.isin(sampler(place, samples - half), chosen).sum()) for place in pair]
    low, _ = clopper_pearson(hits[0], samples - half, level)
    _, high = clopper_pearson(hits[1], samples - half, level)
    lower = math.log(low / high) if low > high else 0.0
    return EpsilonBound(name, claimed, lower, confidence, samples, pair, event)


def _counted(outcomes: Outcomes) -> Outcomes:
    if len(outcomes) and (outcomes.min() < 0 or outcomes.max() >= MOST_OUTCOMES):
        raise HarmonyError(f"a sampler must number its outcomes from 0 to {MOST_OUTCOMES - 1}")
    return np.bincount(outcomes)


def _best_event(
    seen: list[Outcomes], trials: int, level: float
) -> tuple[tuple[int, int], tuple[int, ...]]:
    """Return the pair of inputs and the set of outcomes with the best bound on these samples.

    By the lemma of Neyman and Pearson the best sets hold the outcomes of largest likelihood
    ratio; all such sets of every pair are tried.
    """
    from scipy.stats import beta

    width = max(len(counts) for counts in seen)
    table = np.stack([np.pad(counts, (0, width - len(counts))) for counts in seen])
    best, pair = -math.inf, (0, 1)
    event: tuple[int, ...] = (0,)
    for one in range(len(seen)):
        for other in range(len(seen)):
            if one == other:
                continue
            order = np.argsort(-(table[one] + 0.5) / (table[other] + 0.5), kind="stable")
            own, others = np.cumsum(table[one][order]), np.cumsum(table[other][order])
            useful = (own > 0) & (others < trials)
            low = beta.ppf(level, own[useful], trials - own[useful] + 1)
            high = beta.ppf(1 - level, others[useful] + 1, trials - others[useful])
            if not len(low):
                continue
            scores = np.log(low / high)
            place = int(np.argmax(scores))
            if scores[place] > best:
                best, pair = float(scores[place]), (one, other)
                event = tuple(int(s) for s in order[: np.flatnonzero(useful)[place] + 1])
    return pair, event
