"""A model card: what was asked, of whom, at which epsilon, how good it is, and where it ends.

It is made of public things alone: the training, and what came of randomised answers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..attributes import Attribute, Numeric
from .crosses import Cross

if TYPE_CHECKING:
    from .model import Model
    from .multiclass_model import MulticlassModel
    from .score import Score
    from .training import Training

MOST_VALUES = 12
"""Values of a feature that a card lists; of more it says how many there are."""

KINDS = {"squared": "Least squares", "logistic": "Logistic regression", "hinge": "Linear SVM"}


def card(model: Model | MulticlassModel) -> str:
    """Return a model's card, in Markdown.

    >>> from harmony import Boolean
    >>> from harmony.learn import Model, Score, Training
    >>> training = Training("mood", 1.0, "logistic", Boolean("happy"), [Boolean("wifi")], 1000)
    >>> text = card(Model(training, Score.constant(training.features)))
    >>> [line for line in text.splitlines() if line.startswith("#")]
    ['# Model card: mood', '## What was asked', '## Of whom, and what it cost them',
    '## How good it is', '## What weighs most', '## Limits']
    """
    training = model.training
    sections = {
        "What was asked": [
            f"{KINDS[training.loss]} of **{_cell(training.label.name)}** "
            f"({_domain(training.label)}) from {len(training.features)} features:",
            "",
            *_features(model),
        ],
        "Of whom, and what it cost them": _devices(model),
        "How good it is": [_evaluation(model)],
        "What weighs most": _weights(model),
        "Limits": [f"- {limit}" for limit in _limits(model)],
    }
    lines = [f"# Model card: {training.name}"]
    for title, section in sections.items():
        lines += ["", f"## {title}", "", *section]
    return "\n".join(lines) + "\n"


def _features(model: Model | MulticlassModel) -> list[str]:
    """A row for each feature; a number also with the range in which the model sees it."""
    rows = ["| feature | public domain | seen by the model |", "|---|---|---|"]
    for place, feature in enumerate(model.training.features):
        seen = "as listed"
        if isinstance(feature, Numeric):
            ranges = [(one.features[place].low, one.features[place].high) for one in _scores(model)]  # type: ignore[union-attr]  # numeric
            low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
            seen = f"{low:.4g} to {high:.4g}"
        rows.append(f"| {_cell(feature.name)} | {_domain(feature)} | {seen} |")
    return rows


def _devices(model: Model | MulticlassModel) -> list[str]:
    training = model.training
    most = math.exp(training.epsilon)
    lines = [
        f"{training.devices:,} devices were to take part. Each answered one question, once, "
        f"randomised at epsilon {training.epsilon:g} before anything was made of it: no answer is "
        f"more than {most:.3g} times as likely from one device as from any other, whatever they "
        "hold. The model is made of randomised answers alone.",
    ]
    if training.multiclass:
        lines += ["", f"Each of the {len(training.label.values)} classes has its share of them."]
    return lines


def _evaluation(model: Model | MulticlassModel) -> str:
    about = model.evaluation
    if about is None:
        return "It was not evaluated: no devices were kept for that, or too few answered."
    verdict = (
        "It was kept." if about.kept else "A constant seemed better, and took the model's place."
    )
    return (
        f"{about.devices:,} devices that it did not learn from say: {about.metric} "
        f"**{about.value:.3f}** (95% interval {about.low:.3f} to {about.high:.3f}); a constant "
        f"has {about.constant:.3f}. {verdict}"
    )


def _weights(model: Model | MulticlassModel) -> list[str]:
    rows = [f"| {_cell(name)} | {weight:+.3f} |" for name, weight in model.largest() if weight]
    if not rows:
        return ["Nothing: the model is a constant.", *_intervals(model)]
    weights = ["| feature | weight |", "|---|---|", *rows, "", "Numbers are scaled to -1 .. 1."]
    return [*weights, *_intervals(model)]


def _intervals(model: Model | MulticlassModel) -> list[str]:
    """A row for each coefficient of least squares, if devices were kept that can tell."""
    told = None if model.training.multiclass else model.intervals  # type: ignore[union-attr]
    if told is None:
        return []
    rows = [
        f"| {_cell(one.feature if one.value is None else f'{one.feature} = {one.value}')} "
        f"| {one.estimate:+.4g} | {one.low:+.4g} to {one.high:+.4g} |"
        for one in told
    ]
    return [
        "", "Least squares without privacy would find, in the units of the table, values of a "
        "feature told from their mean:", "",
        "| feature | coefficient | 95% interval |", "|---|---|---|", *rows,
    ]  # fmt: skip


def _limits(model: Model | MulticlassModel) -> list[str]:
    training = model.training
    limits = [
        _linear(training),
        "Weights carry the noise of randomised answers; small ones may be noise alone.",
        "Numbers outside their range count as its nearer end; what is missing or unlisted counts "
        "as the training says, or adds nothing.",
        "It describes the devices that took part, which may not be those that it is used on.",
        "Whatever correlates with a feature is in it: check it for groups that must not be treated "
        "differently before it decides about people.",
    ]
    if training.loss == "logistic":
        limits.append(
            "Chances are calibrated by randomised answers, on the whole and not by group."
        )
    if training.multiclass:
        limits.append(
            "The evaluation is the mean error of telling each class from the rest, not how often "
            "the likeliest class is wrong."
        )
    return limits


def _linear(training: Training) -> str:
    crosses = [feature.name for feature in training.features if isinstance(feature, Cross)]
    if not crosses:
        return "It is linear: no effect of one feature depends on another."
    return f"Effects of one feature depend on another only in {', '.join(map(_cell, crosses))}."


def _scores(model: Model | MulticlassModel) -> Sequence[Score]:
    return model.class_scores if model.training.multiclass else (model.score,)  # type: ignore[union-attr]


def _domain(attribute: Attribute) -> str:
    if isinstance(attribute, Numeric):
        return f"{attribute.low:g} to {attribute.high:g}"
    values = attribute.values
    if len(values) > MOST_VALUES:
        return f"one of {len(values):,} values"
    return ", ".join(_cell(str(value)) for value in values)


def _cell(text: str) -> str:
    """Return a text that keeps its place in a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
