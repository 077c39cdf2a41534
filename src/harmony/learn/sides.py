"""Sides: categories that tell which value a device has, and on which side its residual is.

A level with a sign is one bit, whatever epsilon is.  Where epsilon is large a device can tell more:
one of 2 k cells, for its value and for whether its residual is above zero or below.  The linear
code sends that with far less noise: at epsilon 4 a thousand values have an eighth of it, and five
values a fifth, most of which is chance.  Where residuals are spread normally their side tells as
much of an effect as any clip of them; where labels are skewed it would bend the direction, so clips
are asked there.  Of classes the side is the label.

A direction is a category's code, so every category that is asked like this has a step of its own.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..attributes import Attribute
from ..mechanisms.designs import best_design
from . import step as ask_for
from .allocation import Allocation
from .clipping import SIDE_NORMAL, Clip
from .features import Block, Features
from .planning import answer_noise
from .score import Score, code_of
from .step import Residual
from .trainer import Estimates, QuestionEstimate, StepRequest

CLIP_SLOPE = 0.72
"""By how much a clipped residual moves with an effect of a deviation, relative to its clip: .77 at
half a deviation, .68 at a whole one."""

LEAST_GAIN, LEAST_NOISE = 0.4, 0.03
"""What noise must be at most of that of a level with a sign, for a category to have steps of its
own: from epsilon 2.3 on for few values, and 2.8 for hundreds.  And what the latter must be at
least, as a share of the label's variance: else it hardly matters, and a clip shows means, which a
side does not."""

MOST_BENT = 0.1
"""What sides may hide on one side.  It is .05 of labels to which skewed noise is added, and .15 to
.3 where effects are multiplied, or labels are cut off at zero."""

LEAST_TOLD = 0.95
"""What sides must tell of effects at least, of what clipped residuals tell: of labels that are one
of two numbers they tell next to nothing."""

LEAST_TOGETHER = 0.05
"""The least share of a gradient's devices that tell all other features: they tell the mean of the
residuals, too."""

MOST_STEPS, MOST_VALUES = 48, 4096
"""How many such steps there may be, in all iterations together, and how many values in one."""


def noise_of_sides(epsilon: float, values: int) -> float:
    """Return the variance of an answer about a value's residuals, in units of their clip.

    >>> [round(noise_of_sides(epsilon, 1000) / answer_noise(epsilon), 2) for epsilon in (1, 2, 4)]
    [1.86, 0.8, 0.12]
    """
    p, q = best_design(epsilon, 2 * values + 1).support(epsilon)
    sampling = 1 / values
    return (2 * q / (p - q) ** 2 + sampling) * (CLIP_SLOPE / SIDE_NORMAL) ** 2


def with_sides(
    features: Sequence[Attribute], noises: Floats, epsilon: float, clip: Clip, iterations: int
) -> dict[str, float]:
    """Return the categories that tell sides, and the noise of that, relative to a level's.

    `noises` is what a level with a sign would add to the label's variance, feature by feature.  If
    there are too many it is those of the most values, of which each is rare.

    >>> from harmony import Categorical
    >>> features = [Categorical("plan", ["basic", "plus", "pro"])]
    >>> few = np.array([0.1])
    >>> [list(with_sides(features, few, epsilon, Clip(), 6)) for epsilon in (1.0, 4.0)]
    [[], ['plan']]
    """
    tells = clip.side * clip.deviations > LEAST_TOLD * clip.kept
    if not tells or clip.bent > MOST_BENT or clip.deviations > Clip().deviations:
        return {}
    level = answer_noise(epsilon)
    counts = {
        one.name: len(one.values)
        for one, noise in zip(features, noises.tolist(), strict=True)
        if 2 <= len(one.values) <= MOST_VALUES and noise > LEAST_NOISE
    }
    left = {name: noise_of_sides(epsilon, count) / level for name, count in counts.items()}
    gaining = [name for name in counts if left[name] < LEAST_GAIN]
    gaining.sort(key=lambda name: -counts[name])
    return {name: left[name] for name in gaining[: MOST_STEPS // iterations]}


@dataclass
class Sides:
    """The categories that tell sides, with their noise, and how an effect moves those.

    Of classes a residual's side is the label, whatever the model is.  So it is asked as if there
    were none, and what devices `told` in all iterations counts together.
    """

    noises: Mapping[str, float]
    classes: bool
    told: dict[str, QuestionEstimate] = field(default_factory=dict)

    def unit(self, clip: Clip, std: float) -> float:
        """Return the residual that a side stands for, where residuals have this deviation."""
        return 1.0 if self.classes or not self.noises else std / clip.side

    def at_first(self, known: Features) -> NDArray[np.bool_] | None:
        """Return the coordinates that are told without a model alone, if there are any."""
        if not self.classes or not self.noises:
            return None
        asked = np.array([one.name in self.noises for one in known.features])
        found: NDArray[np.bool_] = asked[known.owners]
        return found

    def pooled(self, name: str, cells: QuestionEstimate) -> QuestionEstimate:
        """Return what has been told by now."""
        if self.classes and name in self.told:
            cells = self.told[name].pooled(cells)
        self.told[name] = cells
        return cells


def told_by_sides(
    block: Block, cells: QuestionEstimate, scale: float, mean_residual: float
) -> QuestionEstimate:
    """Return what cells have told as if a level with a sign had: the residuals of every value.

    `scale` turns a residual's side into one that is clipped, which has this mean.

    >>> cells = QuestionEstimate(9, np.array([0.1, 0.4, 0.0, 0.2, 0.3]), np.full(5, 0.01))
    >>> block = Block.of_values(np.array([0.6, 0.4]))
    >>> told_by_sides(block, cells, 1.0, 0.0).estimates.round(2).tolist()
    [-0.2, 0.2]
    """
    count = len(block.means)
    columns = scale * (cells.estimates[count + 1 :] - cells.estimates[:count][::-1])
    columns = columns - (columns.sum() - mean_residual) * block.means
    noise = 2 * scale**2 * float(np.mean(cells.variance))
    return QuestionEstimate(cells.n, columns, np.full(count, noise))


def ask_gradient(
    allocation: Allocation,
    known: Features,
    residual: Residual,
    sides: Sides,
    unit: float,
    shares: Floats,
    devices: int,
    ask: partial[StepRequest],
) -> Generator[StepRequest, Estimates, Estimates]:
    """Ask so many devices how residuals go with every feature, of these shares.

    A side stands for a residual of one `unit`.
    """
    alone = np.array([one.name in sides.noises for one in known.features])
    others = [one for one, apart in zip(known.features, alone, strict=True) if not apart]
    rest = max(1 - float(shares[alone].sum()), LEAST_TOGETHER)
    each = devices * shares / (rest + float(shares[alone].sum()))
    together = shares[~alone] / max(float(shares[~alone].sum()), 1e-12)
    asked = allocation.gradient(others, residual, together, known.scalings)
    told = dict((yield ask("gradient", asked, max(devices - round(float(each[alone].sum())), 1))))
    if sides.classes:
        ask = partial(ask, model=Score.constant(known.features))
    for place in np.flatnonzero(alone).tolist():
        feature = known.features[place]
        question = ask_for.value_and_side(feature)
        code = code_of(known.features, feature.name, 1.0)
        wanted = max(round(float(each[place])), 1)
        found = yield ask("gradient", (question,), wanted, direction=code)
        cells = sides.pooled(question.name, found[question.name])
        mean = told[residual.term].mean
        told[question.name] = told_by_sides(known.blocks[place], cells, unit / residual.unit, mean)
    return told
