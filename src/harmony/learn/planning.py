"""Planning a training: how much of what could be learned will so many devices teach?

A model explains some share R of the label's variance.  Were all effects equal, noise of variance v
in the direction would cost v / (R + v) of that: v is the variance of a private answer, times the
features that share the devices, times the coordinates, divided by n.  But few features matter much,
and those are found first: where the i-th largest effect goes as 1 / i, what stays below the noise
goes as its root.  So with many devices the share of the gap between no model and the best one that
is closed is 1 / (1 + sqrt(v / (4 R))).  Where values are many each is rare, but has the noise of
all answers, so the square of their number over 16 counts beside features times coordinates over 4.
With few devices nothing is closed: features must be placed first, then told from one another, and
the label has a level.  All of that fails together, so the share is taken times exp(-(w / R)^3),
where w is the variance that the mean of so many answers has when 1 of 350 devices, and of 250 more
times the root of the number of features, gives it.

A label of two values of which one has the rate r has the variance 4 r (1 - r) where a number has
1, so its noise is as much greater.  The numbers here were fitted to 470 random trainings and to the
sets of docs/learning.md; what trainings of the same public description reach differs, so a plan
has a range, too.  That page tells how often both held.

Over all that populations may be, what is closed on average rises less steeply than what is
likeliest: `mean_share` is what decisions within a training are weighed with.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from ..errors import HarmonyError
from .training import Training

EXPLAINED = 0.3
"""The share of the label's variance that features are taken to explain."""

SPARSITY_GAIN, VALUES_GAIN = 4.0, 16.0
"""How much less noise there seems to be than if all effects were equal: of all coordinates, and of
the values of one feature."""

LEVEL_COST, FEATURES_COST = 350.0, 250.0
"""What the label's level, and features, by the root of their number, cost before anything is
gained, in answers without noise."""

STEEPNESS = 3.0
"""How suddenly something is gained once there are as many."""

RATE = 0.2
"""How frequent the rarer of two classes is taken to be: most labels are not balanced."""

MEAN_LEVEL_COST, MEAN_FEATURE_COST = 400.0, 100.0
"""The same costs, of the label's level and of every feature, where what is closed on average falls
as exp(-w / R)."""

LEAST_CLOSED, LEAST_CLOSED_RARE = 0.02, 0.1
"""Where less than this share of the gap would be closed on average only the label's level is asked
for: before anything is known, and once it is known how frequent the classes are."""

LOW_DEVICES, LOW_SHARE = 0.3, 0.7
HIGH_DEVICES, HIGH_SHARE = 4.0, 1.1
"""The ends of a range: what so many times the devices would close, times the share.  Effects may be
weaker or stronger than expected, which is as if devices were fewer or more; and there are labels
and features that lie so badly in their domains that even many devices do not learn all."""

MOST_DEVICES = 1e15


@dataclass(frozen=True)
class LearningPlan:
    """What to expect of a training.

    >>> from harmony import Boolean, Numeric
    >>> training = Training("likes", 1.0, "squared", Numeric("stars", 1, 5), [Boolean("wifi")],
    ...                     devices=20_000)
    >>> plan(training)
    likes: 20,000 devices at epsilon 1 should close 88% of the gap between no model and the best
    (in nine of ten trainings 1% to 100%)
    >>> plan(training, closed=0.5).devices
    10754
    """

    training: str
    devices: int
    epsilon: float
    closed: float
    low: float
    high: float
    """Between what the share lies that is closed, in nine of ten trainings."""

    def __repr__(self) -> str:
        return (
            f"{self.training}: {self.devices:,} devices at epsilon {self.epsilon:g} should close "
            f"{self.closed:.0%} of the gap between no model and the best (in nine of ten trainings "
            f"{self.low:.0%} to {self.high:.0%})"
        )


def plan(
    training: Training,
    closed: float | None = None,
    explained: float = EXPLAINED,
    rate: float | None = None,
) -> LearningPlan:
    """Predict the share of the gap that the training's devices close, or what `closed` needs.

    `rate` is how frequent the label's second class is; without it one of two classes is taken
    to have a fifth of the devices, and more classes to be equally frequent.
    """
    if not 0 < explained < 1:
        raise HarmonyError("'explained' must be a share between 0 and 1")
    if rate is not None and not 0 < rate < 1:
        raise HarmonyError("'rate' must be a share between 0 and 1")
    if rate is None and len(training.label.values) == 2:
        rate = RATE
    noise = _label_noise(training, rate) / explained
    direction = noise * _direction_size(training)
    start = noise * (LEVEL_COST + FEATURES_COST * math.sqrt(len(training.features)))

    def closes(devices: float) -> float:
        started = math.exp(-((start / devices) ** STEEPNESS))
        return started / (1 + math.sqrt(direction / devices))

    def expected(devices: int, share: float) -> LearningPlan:
        low = LOW_SHARE * closes(LOW_DEVICES * devices)
        high = min(HIGH_SHARE * closes(HIGH_DEVICES * devices), 1.0)
        return LearningPlan(training.name, devices, training.epsilon, share, low, high)

    if closed is None:
        return expected(training.devices, closes(training.devices))
    if not 0 < closed < 1:
        raise HarmonyError("'closed' must be a share between 0 and 1")
    few, many = 1.0, MOST_DEVICES  # on a logarithmic scale the middle is soon found
    while many - few > 1e-9 * many + 0.5:
        middle = math.sqrt(few * many)
        few, many = (middle, many) if closes(middle) < closed else (few, middle)
    return expected(math.ceil(many), closed)


def mean_share(training: Training, rate: float | None = None) -> float:
    """Return the share of the gap that such trainings close on average.

    As long as the `rate` is not known classes are given the benefit of the doubt.

    >>> from harmony import Boolean
    >>> training = Training("likes", 1.0, "logistic", Boolean("likes"), [Boolean("wifi")], 20_000)
    >>> round(mean_share(training), 2), round(mean_share(training, rate=0.01), 2)
    (0.67, 0.0)
    """
    noise = _label_noise(training, rate) / EXPLAINED / training.devices
    features = len(training.features)
    columns = sum(len(one.values) ** 2 if one.values else 3 for one in training.features)
    start = noise * (MEAN_LEVEL_COST + MEAN_FEATURE_COST * features)
    return math.exp(-start) / (1 + math.sqrt(noise * features * columns / VALUES_GAIN))


def _label_noise(training: Training, rate: float | None) -> float:
    """Return the variance of an answer relative to the label's; classes share the devices."""
    classes = len(training.label.values)
    noise = answer_noise(training.epsilon)
    if not classes:
        return noise
    rate = 1 / classes if rate is None else rate
    return noise * (classes if classes > 2 else 1) / (4 * rate * (1 - rate))


def answer_noise(epsilon: float) -> float:
    """Return the variance of one answer in [-1, 1]; 1 without privacy."""
    ratio = math.exp(epsilon)
    return ((ratio + 1) / (ratio - 1)) ** 2


def number_noise(epsilon: float) -> float:
    """Return the variance that one answer about a number in [-1, 1] has at most, beside its own.

    >>> [round(number_noise(epsilon), 2) for epsilon in (1, 4)]
    [3.99, 0.13]
    """
    from ..mechanisms.grid import Grid

    return Grid.design(Fraction(epsilon)).worst_variance


def _direction_size(training: Training) -> float:
    """Answers without noise by which half of what is left of the gap would be closed."""
    shared = len(training.features) * training.width
    rare = sum(len(one.values) ** 2 for one in training.features)
    return shared / SPARSITY_GAIN + rare / VALUES_GAIN
