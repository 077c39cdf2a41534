"""`auto`: few, large and well-aimed steps.

    places       a few devices tell where numbers lie in their domains, how frequent the values of
                 other features are, and the label's mean
    gradient     most devices: the correlation of the residual with every feature, asked by feature;
                 at a large epsilon some categories have steps of their own (`sides`)
    places       twice more: the features that seem to matter, placed more accurately
    line         of few features: how they go together, without labels (`correlations`)
    line         some devices: how far to go along the direction that the gradient gives
    ...          gradient and line again, the features that matter asked more often
    level        the rest: the mean residual, and the length of the score; or a curve of how the
                 labels go with the score, from which the other losses compute log-odds, and a
                 second one that refines the threshold, where the odds are even

All three losses share the direction: at a constant model their gradients are the same, and
the regression of a label of -1 and 1 is Fisher's discriminant.  Where one of two classes is rare,
its moments are asked instead of gradients and lines (`rare`).  docs/learning.md tells what each
choice gains, and what did not help.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ..arrays import Floats
from ..attributes import Attribute, Numeric
from . import step as ask_for
from .allocation import Allocation, Clips
from .calibration import calibrated
from .clipping import Clip
from .correlations import ask_correlations
from .evaluation import Candidate, evaluated
from .features import Features, moved_scalings
from .intervals import coefficient_intervals
from .length import prior_length
from .level import best_clip, mean_residual
from .line import posterior_of, slope_along, width_of
from .logit import constant_log_odds, normal_log_odds, posterior_label_mean
from .mixture import Mixture, next_shares
from .path import Path
from .placing import Places, find_places
from .planning import LEAST_CLOSED_RARE, answer_noise, mean_share
from .rare import learn_moments
from .score import Score
from .shrinkage import posterior_mean, surprised_mean
from .sides import Sides, ask_gradient, with_sides
from .spikes import find_others, label_range
from .spread import Spread, asymmetry, score_points
from .tilts import normal_class
from .trainer import UNKNOWN, Estimates, Method, Outcome, QuestionEstimate, StepRequest
from .training import Training

PRIOR_STEP = 0.75
"""The prior mean of the length of a step: features are often correlated a little."""

MOST_STEP = 4.0
"""The longest step: beyond it more is noise than not."""

LEAST_VARIANCE = 0.05
"""The least share of a label's variance that a model is taken to leave."""

LEAST_LABEL_VARIANCE = 1e-6

LEAST_EXPLAINED = 0.005
"""The share of a number's variance that a score is thought to explain, below which all devices that
are left tell the level: 47 random trainings that went on lost half a percent on average."""

SHOWN = 0.05
"""The share of a number's variance that a clipped residual is thought to show of a direction, where
it matters how far it is clipped: little, since noise costs more than bent directions do."""

COMMON = 0.76
"""The mean of a label of -1 and 1 beyond which one of the classes is rare: 12%."""

PLACE_DOUBT = 0.15
"""How far off the mean of a label may be once that has been placed, in its deviations."""


@dataclass
class _State:
    """What is known so far: features in their ranges, the score, and the label's moments."""

    known: Features
    places: Places
    label: Attribute
    """The label as devices see it: a number in its range."""
    score: Score
    weights: Floats
    mean: float
    mean_error: float
    """The standard error of the mean."""
    variance: float
    residual_variance: float
    labels: Floats
    """Numeric labels that are thought to be equally likely."""
    told: QuestionEstimate = UNKNOWN
    """What devices have told of the mean of a label of two classes."""
    sides: Mapping[str, float] = field(default_factory=dict)
    """The categories that tell on which side residuals are, and the noise of that."""
    covariance: Floats | None = None
    """That of the features, as far as devices have shown it."""
    intercept: float | None = None
    """The mean of the score, if that is log-odds: else it has the label's."""
    label_covariance: float | None = None
    """That of the label with a score that is log-odds."""

    @property
    def score_std(self) -> float:
        """The standard deviation of the score."""
        return self.known.std(self.weights, self.covariance)

    @property
    def rare(self) -> bool:
        """Whether one of two classes is rare."""
        return not isinstance(self.label, Numeric) and abs(self.mean) > COMMON

    @property
    def residuals(self) -> Floats:
        """What residuals would be, were they spread as the labels are."""
        return math.sqrt(self.residual_variance / self.variance) * (self.labels - self.mean)

    @property
    def explained(self) -> float:
        return max(self.variance - self.residual_variance, 0.0)


def auto(training: Training) -> Method:
    """Learn `training`, of whatever loss."""
    allocation = Allocation(training)
    places = yield from find_places(training, allocation)
    yield from find_others(training, allocation, places)
    left = training.devices - allocation.placing_devices - allocation.others_devices
    if not allocation.learns or _label_is_rare(training, places):
        return Outcome((yield from _constant(training, allocation, places, left)), None)
    state = _begin(training, places)
    if state.rare:
        allocation = Allocation(training, rare=True)
        yield from _descend_rare(training, allocation, state)
    else:
        yield from _descend(training, allocation, state)
    std = state.score_std
    least = LEAST_EXPLAINED * state.variance if training.loss == "squared" else 0.0
    if state.score.flat or std**2 < least:
        left -= allocation.descending_devices
        constant = yield from _constant(training, allocation, places, left, state.told)
        return Outcome(constant, None)
    std = max(std, math.sqrt(state.explained))
    best, loss = score_for_loss(training, state), state.residual_variance
    ask = partial(StepRequest, model=state.score, best=best, loss=loss, label=state.label)
    if training.loss == "squared":
        candidate = yield from _level(allocation, state, std, ask)
        told = state.places, candidate.score, candidate.residual_std, state.label
        intervals = yield from coefficient_intervals(allocation, state.known, *told, ask)
    else:
        centre = state.mean if state.intercept is None else state.intercept
        begun = state.score, best, centre, std, state.label_covariance
        candidate = yield from calibrated(allocation, *begun, state.told, ask)
        intervals = None
    outcome = yield from evaluated(candidate, training, ask)
    return outcome._replace(intervals=intervals)


def _constant(
    training: Training,
    allocation: Allocation,
    places: Places,
    devices: int,
    told: QuestionEstimate = UNKNOWN,
) -> Generator[StepRequest, Estimates, Score]:
    """Return the best constant, by the devices that are left where nothing else can be learned.

    `told` is what is known of the mean of a label of two classes, if that is more than `places`.
    """
    label, mean, error, variance, labels = _label(training, places)
    constant = Score.constant(training.features, mean)
    if training.loss != "squared":
        told = told if told.n else places.frequencies[label.name]
        if devices > 0:
            ask = partial(StepRequest, model=constant, best=normal_log_odds(constant, mean, 0.0))
            found = yield ask("level", (ask_for.product(("label", 1.0)),), devices)
            told = told.pooled(found["label"])
        return constant_log_odds(training.features, told)
    clip = allocation.level_clip(mean, error, variance)
    clip = best_clip(labels, clip, 1 + abs(mean), allocation.noise / max(devices, 1))
    asked = (ask_for.product(("residual", clip)),)
    ask = partial(StepRequest, model=constant, best=constant, loss=variance, label=label)
    found = yield ask("level", asked, max(devices, 1))
    return constant.shifted(mean_residual(found["residual"], clip, labels - mean, error))


def _label_is_rare(training: Training, places: Places) -> bool:
    """Whether one of two classes is so rare that only its rate can be learned."""
    if training.loss == "squared":
        return False
    mean, _ = posterior_label_mean(places.frequencies[training.label.name])
    return mean_share(training, rate=(1 + mean) / 2) < LEAST_CLOSED_RARE


def _label(training: Training, places: Places) -> tuple[Attribute, float, float, float, Floats]:
    """Return the label as devices see it, its mean and the error of that, its variance, and points.

    Those stand for the devices, if the label is a number.
    """
    label = training.label
    if isinstance(label, Numeric):
        noise = answer_noise(training.epsilon) / training.devices
        label, points = label_range(places, label, noise)
        variance = max(float(points.var()), LEAST_LABEL_VARIANCE)
        doubt = max(PLACE_DOUBT, 2 / math.sqrt(max(places.sizes.get(label.name, 0.0), 1.0)))
        return label, float(points.mean()), math.sqrt(variance) * doubt, variance, points
    mean, error = posterior_label_mean(places.frequencies[label.name])
    return label, mean, error, 1 - mean**2, np.array([-1.0, 1.0])


def _begin(training: Training, places: Places) -> _State:
    """Return the constant model, and what the places tell about the label and the features."""
    label, mean, error, variance, labels = _label(training, places)
    features = places.in_ranges(training.features)
    known = Features.of(features, places)
    score, weights = Score.constant(features, mean), np.zeros(len(known.variances))
    told = UNKNOWN if isinstance(label, Numeric) else places.frequencies[label.name]
    known_label = mean, error, variance, variance, labels, told
    return _State(known, places, label, score, weights, *known_label)


def _descend(
    training: Training, allocation: Allocation, state: _State
) -> Generator[StepRequest, Estimates, None]:
    """Find the direction: gradients, and lines along what they give."""
    count = len(state.known.blocks)
    feature_shares = np.full(count, 1 / count)
    path = Path.begun(state.known.variances)
    left = allocation.iterations * allocation.gradient_devices
    noises = state.known.direction_noises(allocation.noise) * count / left
    noise = float(noises.sum()) / SHOWN
    clip = Clip.of(state.labels, 1.0, noise) if allocation.squared else Clip()
    asked_of = state.known.features, noises, training.epsilon
    state.sides = with_sides(*asked_of, clip, allocation.iterations)
    state.known = state.known.telling_sides(state.sides)
    sides = Sides(state.sides, classes=not allocation.squared)
    for iteration in range(allocation.iterations):
        known, devices = state.known, left // (allocation.iterations - iteration)
        left -= devices
        moments = state.mean, state.variance, state.residual_variance
        clip = Clip.of(state.labels, state.residual_variance / state.variance, noise)
        residual = allocation.residual(*moments, clip)
        ask = partial(
            StepRequest, best=score_for_loss(training, state),
            loss=state.residual_variance, label=state.label,
        )  # fmt: skip
        unit = sides.unit(clip, math.sqrt(state.residual_variance))
        of_all = allocation, known, residual, sides, unit, feature_shares, devices
        found = yield from ask_gradient(*of_all, partial(ask, model=state.score))
        per_device = known.precision_per_device(allocation.noise * residual.unit**2)
        future_precisions = left * per_device
        gradient = known.gradient(found, residual)
        if iteration == 0:
            mixture = Mixture.fit(known, gradient, state.variance)
            feature_shares = next_shares(known, mixture, gradient, future_precisions)
            asked_in = yield from _place_again(training, allocation, state, feature_shares, ask)
            gradient = asked_in.gradient(found, residual)
            told = yield from ask_correlations(allocation, state.known, state.places, ask)
            state.known = known = told.known
            path = Path.begun(known.variances, told.correlations, sides.at_first(known))
            left -= told.devices
        # Gradients of earlier iterations still count, less what the model has taken up since.
        path.add(gradient, state.weights)
        target, mixture, wanted, state.covariance = path.target(known, state.variance)
        feature_shares = next_shares(known, mixture, wanted, future_precisions)
        change = target - state.weights
        if not change.any():
            continue
        direction, std = known.score(change), known.std(change, state.covariance)
        along = allocation.line_devices
        clips = allocation.clips(std, state.mean, state.residual_variance, along)
        asked = allocation.line(clips)
        found = yield ask("line", asked, along, state.score, direction=direction)
        step = _line(state, direction, found, std, clips, allocation.squared)
        state.weights = state.weights + step * change
        path.take(change)


def _descend_rare(
    training: Training, allocation: Allocation, state: _State
) -> Generator[StepRequest, Estimates, None]:
    """Find the direction where one of two classes is rare."""
    ask = partial(
        StepRequest, best=score_for_loss(training, state), loss=state.variance, label=state.label
    )
    count = len(state.known.blocks)
    yield from _place_again(training, allocation, state, np.full(count, 1 / count), ask)
    begun = allocation, state.known, state.places, state.told
    direction = yield from learn_moments(*begun, ask)
    state.known, state.weights, state.covariance, state.told, state.label_covariance = direction
    state.mean, state.mean_error = posterior_label_mean(state.told)
    state.variance = 1 - state.mean**2
    state.intercept, explained = normal_class(state.score_std, (1 + state.mean) / 2)
    state.score = state.known.score(state.weights).shifted(state.intercept)
    left = state.variance - explained
    state.residual_variance = max(left, LEAST_VARIANCE * state.variance)


def _place_again(
    training: Training,
    allocation: Allocation,
    state: _State,
    feature_shares: Floats,
    ask: partial[StepRequest],
) -> Generator[StepRequest, Estimates, Features]:
    """Place features more accurately; return them, scaled as they were before."""
    places, before = state.places, state.known
    for devices in allocation.closer_devices:
        asked = places.questions(state.known.features, feature_shares)
        more = yield ask("places", asked, devices, state.score)
        places.learn(asked, more, state.known.features)
        features = places.in_ranges(training.features)
        state.score = Score.constant(features, state.mean)
        state.known = Features.of(features, places).telling_sides(state.sides)
    moved = Features.of(features, places, moved_scalings(before, features))
    return moved.telling_sides(state.sides)


def _level(
    allocation: Allocation, state: _State, std: float, ask: partial[StepRequest]
) -> Generator[StepRequest, Estimates, Candidate]:
    """Set the length and the level of a score for squared loss, with the devices that are left."""
    centred, devices = state.known.score(state.weights), allocation.level_devices
    placed = state.residuals, state.places.sizes.get(state.label.name, 0.0)
    length, clips = allocation.length(std, state.mean, *placed)
    clip = allocation.level_clip(state.mean, state.mean_error, state.residual_variance)
    clip = best_clip(state.residuals, clip, 1 + abs(state.mean), 2 * allocation.noise / devices)
    found = yield ask("level", allocation.level(clips, clip), devices, direction=centred)
    likely = score_points(state.known, state.places, centred)
    share = Spread.clipped(likely, clips.far / std).share
    width = width_of(found["direction x direction"], clips.far / share, std)
    slope, error, std = slope_along(found, std, clips)
    prior = prior_length(*placed)
    longer = posterior_mean(length.longer(slope), length.error(error), *prior)
    prior_std = math.hypot(state.mean_error, std)
    higher = mean_residual(found["residual"], clip, state.residuals, prior_std)
    centre = posterior_of(found["direction"], clips.centre, 0.0, std / 2)
    score = state.score.plus(longer, centred).shifted(higher - longer * centre)
    constant = Score.constant(score.features, state.mean + higher + centre)
    stds = (1 + longer) * width, math.sqrt(state.residual_variance)
    skewed = asymmetry(state.labels)
    return Candidate(score, constant, *stds, range=state.label, scores=likely, asymmetry=skewed)


def _line(
    state: _State,
    direction: Score,
    estimates: Estimates,
    std: float,
    clips: Clips,
    squared: bool,
) -> float:
    """Move along the direction by the slope of the residual on it, and return that step."""
    slope, error, measured_std = slope_along(estimates, std, clips)
    # One would be right for independent features; correlated ones ask for less.  Residuals of two
    # classes tell too little of slopes for a long step to be worth its noise.
    expected = surprised_mean if squared else posterior_mean
    step = expected(slope, error, PRIOR_STEP, PRIOR_STEP / 3)
    step = min(max(step, 0.0), MOST_STEP)
    state.score = state.score.plus(step, direction)
    left = state.residual_variance - (step * measured_std) ** 2
    state.residual_variance = max(left, LEAST_VARIANCE * state.variance)
    return step


def score_for_loss(training: Training, state: _State) -> Score:
    """Return the score for the training's loss: log-odds, unless the loss is squared."""
    if training.loss == "squared" or state.intercept is not None:
        return state.score
    return normal_log_odds(state.score, state.mean, state.explained)
