"""More than two classes: one score a class, each learned from its own share of the devices.

A device answers one step, and a step has one label of two values: whether the device is of the
class that the step is about.  Such a label is a `categorical` with two of the classes' values and a
stand-in for all others, so devices need nothing new.  Each class has n / K devices at all of
epsilon, where one model a class would ask all n of them at epsilon / K: for K classes that is K
times the information.  (Asking for the residuals of all classes at once, by a level and a sign, has
the noise of n / 4 devices a class: less only from five classes on, and new arithmetic for devices.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import hypot, log, log1p, sqrt

from ..arrays import Floats
from ..attributes import Categorical, Value
from .class_weights import private_rates
from .evaluation import HOPELESS, TOLERATED, Evaluation, Z, is_kept
from .planning import EXPLAINED, mean_share
from .score import Score
from .trainer import LABEL, UNKNOWN, Method, Outcome, QuestionEstimate
from .training import Training

METRIC = "error a class"
"""How often devices are told wrongly from the rest, on average over the classes."""


def class_label(label: Categorical, value: Value) -> Categorical:
    """Return the label that is 1 for one class, and -1 for all others.

    >>> label = class_label(Categorical("theme", ["light", "dark", "auto"]), "dark")
    >>> label.values, label.unlisted
    (('light', 'dark'), 'light')
    """
    rest = next(one for one in label.values if one != value)
    stands_for = label.missing if label.missing in (None, value) else rest
    return Categorical(
        label.name, [rest, value], missing=stands_for, unlisted=rest,
        question=label.question, reads=label.reads,
    )  # fmt: skip


def class_training(training: Training, place: int) -> Training:
    """Return the training of one class's score, by its own share of the devices."""
    classes, devices = len(training.label.values), training.devices
    share = devices * (place + 1) // classes - devices * place // classes
    assert isinstance(training.label, Categorical)
    label = class_label(training.label, training.label.values[place])
    return replace(training, label=label, devices=max(share, 1))


def one_score_a_class(training: Training) -> Method:
    """Learn the log-odds of each class, class after class, and join them."""
    from .auto import auto

    classes = training.label.values
    log_odds = [Score.constant(training.features, -log(len(classes) - 1))] * len(classes)
    means = [UNKNOWN] * len(classes)
    told: list[Evaluation | None] = []
    for place, about in enumerate(classes):
        one = class_training(training, place)
        method, estimates = auto(one), None
        while True:
            try:
                request = method.send(estimates)  # type: ignore[arg-type]  # None starts it
            except StopIteration as end:
                score, evaluation, _ = end.value
                break
            assert isinstance(request.best, Score)
            log_odds[place] = request.best
            best = softmax_scores(log_odds, private_rates(means))
            estimates = yield replace(request, best=best, label=one.label, about=about)
            if LABEL in estimates:
                means[place] = means[place].pooled(estimates[LABEL])
        if evaluation is None:
            log_odds[place] = score
        told.append(evaluation)
    rates = private_rates(means)
    best = softmax_scores(log_odds, rates)
    # Whether a class is told from the rest decides on all of them together.
    known = [one or _constant(mean) for one, mean in zip(told, means, strict=True)]
    if not any(told) or None in known:
        return Outcome(best, None)
    about_all = mean_error(
        [one for one in known if one is not None], HOPELESS + EXPLAINED * mean_share(training)
    )
    if not about_all.kept:
        best = tuple(Score.constant(training.features, log(rate)) for rate in rates)
    return Outcome(best, about_all)


def _constant(mean: QuestionEstimate) -> Evaluation | None:
    """Return the evaluation of a class of which only the rate was learned, if that is known."""
    if not mean.n:
        return None
    rate, error = (1 + mean.mean) / 2, Z * sqrt(mean.variance[0]) / 2
    value = min(rate, 1 - rate)
    return Evaluation("error", value, value - error, value + error, value, 0, True)


def softmax_scores(log_odds: Sequence[Score], rates: Floats) -> tuple[Score, ...]:
    """Return scores whose softmax has the classes' chances, from log-odds against the rest.

    Near the classes' rates r, the log-odds of a class move by t / (1 - r) where the scores of
    a softmax move by t.  So a score is log r + (1 - r) (log-odds - log r + log(1 - r)), which for
    two classes is exact.

    >>> import numpy as np
    >>> yes, no = Score.constant([], 2.0), Score.constant([], -2.0)
    >>> one, other = softmax_scores([yes, no], np.array([0.3, 0.7]))
    >>> round(one.intercept - other.intercept, 9)
    2.0
    """
    return tuple(
        one.shifted(log1p(-rate) - log(rate)).times(1 - rate).shifted(log(rate))
        for one, rate in zip(log_odds, rates.tolist(), strict=True)
    )


def mean_error(told: Sequence[Evaluation], expected: float) -> Evaluation:
    """Return the mean error of all classes, and its interval: their devices are not the same.

    Errors of single classes may seem to be negative: to cut them off would make the mean too large.

    Scores that hardly ever tell a class from all others can still tell which is likeliest, so more
    is tolerated than of two classes.
    """
    count = len(told)
    value = sum(one.value for one in told) / count
    half = hypot(*(one.high - one.value for one in told)) / count
    constant = sum(one.constant for one in told) / count
    kept = is_kept(constant - value + TOLERATED, sqrt(2) * half / Z, expected)
    devices = sum(one.devices for one in told)
    return Evaluation(METRIC, value, value - half, value + half, constant, devices, kept)
