"""Evaluation: how good a model is, asked of devices that it has not learned from.

Some devices are kept for one more step of the same flow.  For squared loss they tell the mean
squared residual, what of it lies beyond a clip (`excess`), and how far the score parts people, from
which follows R2, the share of the label's variance that the model explains (`explained`).  For
classes they tell how often the label has the sign of the score: that is the error, without any
approximation.  If they say that a constant does better, the constant is what is returned.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from ..arrays import Floats
from ..attributes import Attribute, Numeric
from ..errors import SurveyError
from . import step as ask_for
from .excess import excess, tail_question
from .explained import explained
from .logit import constant_log_odds
from .planning import EXPLAINED, mean_share, number_noise
from .score import Score
from .shrinkage import posterior_mean
from .spread import NORMAL, Spread, Together
from .step import SIGN, Question
from .trainer import Estimates, Outcome, QuestionEstimate, StepRequest
from .training import Training

RESIDUAL_CLIP = 2.0
"""Where residuals are clipped, in their standard deviations: beyond that they have a tail."""

SQUARES, PRODUCTS, QUESTIONS = 3, 5, 14
"""The weights of the score's square, and of what residuals have of it, among all questions."""

LENGTH_DOUBT = 0.5
"""How far the deviation of the score, and its mean times the instrument, may be off before devices
are asked."""

SURE, SURE_OF_LABELS, Z = 1.645, 2.5, 1.96
LEAST_RARE = 1e-3
"""The least share of wrong labels by which gains are measured, twice that of the constant."""

TOLERATED, MOST_TOLERATED = 0.01, 0.02
"""A model that seems to be worse than the constant by no more than this is kept: surely, and if
that is no more than half an error."""

CLEAR, SURE_OF_CLEAR = 3.5, 4.0
"""By how many errors labels must go with a score to make it clear that it tells something, and by
how many such a model must then seem to be worse."""

HOPELESS, GAIN_STD = -0.05, 0.15
"""The gain that is expected where the plan says that nothing can be learned, and its doubt."""


@dataclass(frozen=True)
class Evaluation:
    """What devices that a model has not learned from say about it.

    `value` lies between `low` and `high` with a confidence of 95%, as far as noise goes.  R2 may be
    negative, and is 0 for a constant; an error is to be compared with the `constant`'s.

    >>> Evaluation("error", 0.2, 0.18, 0.22, 0.45, 10_000, True)
    error 0.200 (0.180 to 0.220), of a constant 0.450, by 10,000 devices that it did not learn from
    """

    metric: str
    value: float
    low: float
    high: float
    constant: float
    devices: int
    kept: bool
    """Whether the model was kept; else the constant took its place."""

    def __repr__(self) -> str:
        told = (
            f"{self.metric} {self.value:.3f} ({self.low:.3f} to {self.high:.3f}), of a constant "
            f"{self.constant:.3f}, by {self.devices:,} devices that it did not learn from"
        )
        if self.kept:
            return told
        return f"{told}; a constant seems to be better, and took its place"

    @property
    def possible(self) -> Evaluation:
        """The same, but for what an error cannot be: less than none, or more than all.

        >>> Evaluation("error", -0.01, -0.05, 0.03, 0.02, 1000, True).possible.low
        0.0
        """
        if self.metric == "R2":
            return self
        ends = ("value", "low", "high", "constant")
        return replace(self, **{end: min(max(getattr(self, end), 0.0), 1.0) for end in ends})

    def to_document(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_document(cls, document: Any) -> Evaluation:
        """Read an evaluation back."""
        try:
            return cls(
                metric=str(document["metric"]),
                value=float(document["value"]),
                low=float(document["low"]),
                high=float(document["high"]),
                constant=float(document["constant"]),
                devices=int(document["devices"]),
                kept=bool(document["kept"]),
            )
        except (KeyError, TypeError, ValueError) as problem:
            raise SurveyError(f"'evaluation' lacks or misstates {problem}") from None


class Candidate(NamedTuple):
    """A score to be evaluated, the constant beside it, and the deviations of score and residual."""

    score: Score
    constant: Score
    score_std: float
    residual_std: float
    label: QuestionEstimate | None = None
    """What is known of the mean of a label of two classes."""
    range: Attribute | None = None
    """The range that numeric labels were seen in."""
    clear: float = 0.0
    """By how many errors labels of two classes go with the score, as others have told."""
    scores: Floats = NORMAL
    """Scores that are thought to be equally likely, in any unit."""
    asymmetry: float = 0.0
    """How skewed numeric labels are thought to be."""

    def in_domain(self, domain: Attribute) -> Candidate:
        """Return the same for labels that are seen in their whole domain."""
        seen = self.range
        if not isinstance(seen, Numeric) or not isinstance(domain, Numeric):
            return self
        width = domain.high - domain.low
        factor = (seen.high - seen.low) / width
        shift = (seen.low + seen.high - domain.low - domain.high) / width
        if factor == 1 and not shift:
            return self
        score, constant = (one.times(factor).shifted(shift) for one in (self.score, self.constant))
        stds = factor * self.score_std, factor * self.residual_std
        return self._replace(
            score=score, constant=constant, score_std=stds[0], residual_std=stds[1], range=domain
        )

    @property
    def residual_clip(self) -> float:
        return RESIDUAL_CLIP * self.residual_std

    def together(self, training: Training) -> Together:
        """Where to clip the score and residuals, with so many devices, and what that shows."""
        noise = number_noise(training.epsilon) * QUESTIONS / training.evaluating
        deviations = Spread.best(self.scores, noise / 4 / SQUARES).deviations
        error = self.label_std / self.score_std * math.sqrt(noise / PRODUCTS)
        closed = mean_share(training)
        return Together.best(self.scores, deviations, error, self.asymmetry, closed)

    @property
    def label_std(self) -> float:
        """The label's deviation, even if the score goes much too far."""
        return math.hypot(self.residual_std, self.score_std)


def evaluated(
    candidate: Candidate, training: Training, ask: partial[StepRequest]
) -> Generator[StepRequest, Estimates, Outcome]:
    """Ask the devices that were kept for it about a score, and return that or the constant.

    A range hides the tails of a label, so the score is judged by labels in their whole domain.
    """
    devices, squared = training.evaluating, training.loss == "squared"
    if devices < 1 or candidate.score.flat:
        return Outcome(candidate.score, None)
    asked, judge = _error_questions(), _error
    if squared:
        candidate = candidate.in_domain(training.label)
        ask = partial(ask, loss=candidate.residual_std**2, label=training.label)
        together = candidate.together(training)
        asked, judge = _variance_questions(candidate, together), partial(_variance, together)
    score, constant = candidate.score, candidate.constant
    direction = score.plus(-1.0, constant)
    ask = partial(ask, model=score, best=score, direction=direction)
    found = yield ask("evaluation", asked, devices)
    told = min(sum(one.n for one in found.values()), devices)  # some answer more than once
    if not all(one.n for one in found.values()):
        return Outcome(constant, None)  # too few to tell anything
    expected = HOPELESS + EXPLAINED * mean_share(training)
    about = judge(candidate, found, told, expected)
    if not about.kept and candidate.label is not None:
        constant = constant_log_odds(constant.features, candidate.label.pooled(found["label"]))
    return Outcome(score if about.kept else constant, about)


def is_kept(
    gain: float, error: float, expected: float, sure: float = SURE, clear: bool = False
) -> bool:
    """Whether a model of this estimated gain over the constant, with this error, is kept.

    What the plan lets one expect counts, too: the more, the less the devices can tell.  Where it is
    clear from elsewhere that the model tells something, it is enough if it is not surely worse.

    >>> is_kept(0.1, 0.05, 0.0), is_kept(-0.1, 0.05, 0.0), is_kept(-0.001, 0.002, 0.0)
    (True, False, True)
    >>> is_kept(0.1, 0.5, HOPELESS), is_kept(0.1, 0.5, HOPELESS + EXPLAINED)
    (False, True)
    """
    surely_worse = gain < -max(sure * error, TOLERATED)
    likely = posterior_mean(gain, error, expected, GAIN_STD)
    doubt = min(error / 2, MOST_TOLERATED)
    return not surely_worse and (clear or likely > -max(doubt, TOLERATED))


def _named(question: Question, name: str) -> Question:
    return replace(question, attribute=replace(question.attribute, name=name))


def _variance_questions(candidate: Candidate, together: Together) -> tuple[Question, ...]:
    residual = "residual", candidate.residual_clip
    wide = "residual", together.residual * candidate.label_std
    far = "direction", together.spread.deviations * candidate.score_std
    near = "direction", together.spread.instrument * candidate.score_std
    return (
        _named(ask_for.product(residual, residual, weight=2), "squared residual"),
        tail_question("residual", candidate.residual_clip, weight=3),
        _named(ask_for.product(far, far, weight=SQUARES), "squared score"),
        _named(ask_for.product(wide, near, weight=PRODUCTS), "what is left"),
        _named(ask_for.product(far, near), "instrument"),
    )


def _variance(
    together: Together, candidate: Candidate, found: Estimates, devices: int, expected: float
) -> Evaluation:
    """Return R2: the score d explains E[d^2] + 2 E[d r], with r the residual.

    E[d r] is what the clipped score has of it, times E[d^2] over what it has of E[d^2].  That ratio
    is a length, which the training knows nearly.
    """
    shape, std = together.spread, candidate.score_std
    clip = shape.deviations * std
    left, left_error = _scaled(found, "squared residual", candidate.residual_clip**2)
    spread, spread_error = _scaled(found, "squared score", clip**2 / shape.shown)
    product, product_error = _scaled(found, "what is left", together.residual * candidate.label_std)
    seen, seen_error = _scaled(found, "instrument", clip / shape.seen)
    known_spread, spread_moves = _known(spread, spread_error, std**2)
    known_seen, seen_moves = _known(seen, seen_error, shape.share * std)
    length = known_spread / known_seen
    gain = spread + 2 * product * length + together.hidden * known_spread
    # An error of the length matters as far as there surely is a product: else the interval would
    # be that of two noisy numbers times each other, which is far too wide.
    surely = max(product**2 - (2 * product_error) ** 2, 0.0)
    slope = math.copysign(math.sqrt(surely), product) / known_seen
    gain_error = math.hypot(
        spread_error * (1 + 2 * slope * spread_moves),
        seen_error * 2 * slope * length * seen_moves,
        product_error * 2 * length,
    )
    unit = candidate.residual_clip
    reach = (1 + abs(candidate.constant.intercept)) / unit
    hidden = excess(found["tail of the residual"], reach)
    doubt = math.hypot(gain_error, together.doubt * known_spread, shape.doubt * known_spread)
    value, low, high = explained(gain, doubt, left, left_error, hidden.times(unit))
    # What decides is whether there is a gain.  So it is taken relative to what the training knows
    # of the label's variance, for what is left may seem to be next to nothing, by noise.
    total = candidate.residual_std**2 + std**2
    # Where it is known that the score parts people at all, what decides is whether it goes too
    # far, and that is known better than how far it goes.
    norm = max(seen, 0.1 * std)
    slope_error, beyond = product_error / norm, abs(0.5 + product / norm)
    if spread > 2 * spread_error and beyond > slope_error:
        gain_error = min(gain_error, abs(gain) * slope_error / beyond)
    kept = is_kept(gain / total, gain_error / total, expected)
    return Evaluation("R2", value, low, high, 0.0, devices, kept)


def _known(estimate: float, error: float, prior: float) -> tuple[float, float]:
    """Return what is known of a positive number, and how far an error of the estimate moves it."""
    doubt = LENGTH_DOUBT * prior
    known = posterior_mean(estimate, error, prior, doubt)
    return max(known, 0.1 * prior), doubt**2 / (doubt**2 + error**2)


def _error_questions() -> tuple[Question, ...]:
    right = ask_for.product(("label", 1.0), ("score", SIGN), weight=2)
    return (_named(right, "right"), _named(ask_for.product(("label", 1.0)), "label"))


def _error(candidate: Candidate, found: Estimates, devices: int, expected: float) -> Evaluation:
    side = 1.0 if candidate.constant.intercept > 0 else -1.0
    right, right_error = _scaled(found, "right", 0.5)
    if candidate.label is not None:  # which tells more of the constant than these devices do
        found = {**found, "label": candidate.label.pooled(found["label"])}
    usual, usual_error = _scaled(found, "label", 0.5 * side)
    value, error = 0.5 - right, Z * right_error
    # Where one class is rare a good model has hardly fewer wrong labels than the constant, so noise
    # in their number says little against what the plan lets one expect.
    unit = max(2 * (0.5 - usual), LEAST_RARE) ** 2
    told = (right - usual) / unit, math.hypot(right_error, usual_error) / unit
    clear = candidate.clear > CLEAR
    sure = SURE_OF_CLEAR if clear else SURE_OF_LABELS
    kept = is_kept(*told, expected, sure=sure, clear=clear)
    return Evaluation("error", value, value - error, value + error, 0.5 - usual, devices, kept)


def _scaled(found: Estimates, name: str, scale: float) -> tuple[float, float]:
    """Return an estimate and its standard error, in units of `scale`."""
    one = found[name]
    return one.mean * scale, math.sqrt(one.variance[0]) * abs(scale)
