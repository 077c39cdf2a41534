"""Windows: several rounds of one survey, estimated together.

What is estimated is the average over the rounds, each weighing as much as it has reports.  Rounds
draw their noise anew, so their errors are independent, whether each device was heard once, as in T
rounds of a survey with rotation, or in every round.  With memory they are not: see `repetition`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats
from ..errors import HarmonyError, TallyError
from ..mechanisms import Grid, Linear, Mechanism
from .sampling import EVERYONE, Cumulants, Extremes, Sampling

if TYPE_CHECKING:
    from ..survey import Survey
    from ..tally import Tally


@dataclass(frozen=True)
class DriftWarning:
    """An attribute whose answers changed while a window lasted."""

    attribute: str
    p_value: float
    rounds: int

    def __str__(self) -> str:
        return (
            f"{self.attribute}: answers changed while the window lasted (p = {self.p_value:.1g}); "
            f"its estimate is the average over {self.rounds} rounds, and compare tells what changed"
        )


def check_window(survey: Survey, tallies: Sequence[Tally]) -> list[Tally]:
    """Return the tallies of a window, oldest first as they were given, or refuse them."""
    from .decode import checked_tally

    if isinstance(tallies, str) or not isinstance(tallies, Sequence) or not tallies:
        raise HarmonyError("'tallies' must be a list of tallies, one for each round")
    seen = set()
    for one in tallies:
        checked_tally(one, survey)
        if one.round.label in seen:
            raise TallyError(
                f"'tallies' has round {one.round.label!r} twice; add the tallies of one round "
                "first: sum(...)"
            )
        seen.add(one.round.label)
    return list(tallies)


def window_label(tallies: Sequence[Tally]) -> str:
    """Return how a window is named."""
    first, last = tallies[0].round.label, tallies[-1].round.label
    return first if len(tallies) == 1 else f"{first} to {last}"


def repetition(survey: Survey, tallies: Sequence[Tally]) -> float:
    """Return how often, on average, what a device keeps counts in a window; 1 without memory.

    With memory a device is asked the same in every round, and what it keeps makes part of its
    noise the same.  If all answers stay and r rounds with n_1, n_2, ... reports are heard from as
    few devices as can be, the covariance of two of them is that part divided by the larger
    number.  Weighed by reports, the shared part of the variance is larger than that of as many
    independent reports by the sum of min(n_i, n_j) over all pairs, divided by all reports.
    Answers that change, and devices that come and go, make it less.
    """
    total = sum(one.reports for one in tallies)
    if survey.memory is None or total == 0:
        return 1.0
    shared = sum(
        min(one.reports, other.reports)
        for same in by_turn(survey, tallies).values()
        for one in same
        for other in same
    )
    return shared / total


def spoken_of(survey: Survey, tallies: Sequence[Tally]) -> float:
    """Return how many devices the estimates of rounds speak of.

    Of a plain round these are the devices that reported.  Of a round of a survey with rotation
    they are all, of which those whose turn it is are a sample; T rounds together hear all.  If r
    rounds are heard, and a share u of their reports comes from the devices of each place, the
    difference between devices counts r times the sum of u squared, less r / T, times as much as
    between as many reports that were drawn afresh.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0, every=4)
    >>> people = {"wifi": [True] * 4_000}
    >>> rounds = [survey.collect(people, round=hm.Round(f"W{n}", bytes(16), n)) for n in range(4)]
    >>> round(spoken_of(survey, rounds[:1]) / rounds[0].reports), spoken_of(survey, rounds)
    (4, 4...)
    """
    total = sum(one.reports for one in tallies)
    if survey.every is None or total == 0:
        return total
    shares = [
        sum(one.reports for one in same) / total for same in by_turn(survey, tallies).values()
    ]
    rounds = len(tallies)
    heard = 1 - rounds * (sum(share**2 for share in shares) - 1 / survey.every)
    return total / heard if abs(heard) > 1e-9 else EVERYONE


def by_turn(survey: Survey, tallies: Sequence[Tally]) -> dict[int, list[Tally]]:
    """Return the rounds in which the same devices are asked, by their place in the rotation."""
    turns = defaultdict(list)
    for one in tallies:
        number = one.round.number
        turns[number % survey.every if survey.every and number is not None else 0].append(one)
    return dict(turns)


class RepeatedSampling(Sampling):
    """Estimates of rounds that have part of their errors in common.

    An average of them is wider than if they had not, a difference narrower: by `factor`, of the
    variance.
    """

    def __init__(self, independent: Sampling, factor: Floats) -> None:
        self._independent, self._factor = independent, factor
        self.estimates = independent.estimates
        self.uniform = False

    def cumulants(self, truth: Floats) -> Cumulants:
        variance, third, fourth = self._independent.cumulants(truth)
        wider = np.sqrt(self._factor)
        return variance * wider**2, third * wider**3, fourth * wider**4

    def variance_after(self, change: Floats) -> Floats:
        return self._independent.variance_after(change) * self._factor

    @property
    def likely(self) -> Floats:
        return self._independent.likely

    @property
    def extremes(self) -> Extremes:
        return self._independent.extremes


def repeated(sampling: Sampling, mechanism: Mechanism, asked: float, times: float) -> Sampling:
    """Widen a sampling whose rounds have in common what devices keep, so many times.

    `asked` is the share of the devices that is asked about the attribute: who is, is the same in
    all rounds, too.
    """
    if times <= 1:
        return sampling
    if isinstance(mechanism, Linear):
        common = _common(mechanism, np.clip(sampling.estimates, 0.0, 1.0), 1 - asked)
    else:  # how numbers are spread is not known: the widest that they can be counts
        common = np.full(1, _greatest(mechanism, 1 - asked))
    return RepeatedSampling(sampling, 1 + (times - 1) * common)


def widest(mechanism: Mechanism, times: float) -> float:
    """Return how much wider, at most, an attribute's variance is than of independent rounds."""
    if times <= 1:
        return 1.0
    return 1 + (times - 1) * _greatest(mechanism, 1.0)


def wider_noise(mechanism: Mechanism, shares: Floats, times: float) -> float:
    """Return how much wider, at most, the noise of values with these shares is."""
    if times <= 1:
        return 1.0
    assert isinstance(mechanism, Linear)
    return 1 + (times - 1) * float(_common(mechanism, shares, 0.0).max())


def _greatest(mechanism: Mechanism, left: float) -> float:
    """Return the greatest part of a variance that rounds can have in common."""
    if isinstance(mechanism, Linear):
        return float(_common(mechanism, np.linspace(0, 1, 101), left).max())
    assert isinstance(mechanism, Grid)
    noise, kept = mechanism.point_noise, mechanism.permanent_noise_at(mechanism.points)
    return float(((kept + left) / (noise + left)).max())


def _common(mechanism: Linear, share: Floats, left: float) -> Floats:
    noise, kept = mechanism.noise_at(share), mechanism.permanent_noise_at(share)
    spread = left * share * (1 - share)
    return np.asarray((kept + spread) / (noise + spread))
