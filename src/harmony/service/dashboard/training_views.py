"""What the pages of trainings show: pure functions of the documents that the API gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .charts import MOST_BARS, Chart, loss_chart, shown_value

Document = Mapping[str, Any]

LIST_COLUMNS = ("name", "state", "step", "epsilon", "created", "ended")
STEP_COLUMNS = ("number", "purpose", "wanted", "reports", "loss", "opened", "closed")


def step_rows(training: Document) -> list[dict[str, Any]]:
    """Return a row for each step, oldest first; what was learnt is known once it is closed.

    >>> step = {"number": 1, "wanted": 5, "reports": 3, "opened": "now", "closed": None}
    >>> step_rows({"steps": [step], "history": []})[0]["purpose"]
    ''
    """
    learnt = {row["step"]: row for row in training["history"]}
    return [
        {
            "number": step["number"],
            "purpose": learnt.get(step["number"], {}).get("purpose", ""),
            "wanted": step["wanted"],
            "reports": step["reports"],
            "loss": learnt.get(step["number"], {}).get("loss"),
            "opened": step["opened"],
            "closed": step["closed"],
        }
        for step in training["steps"]
    ]


def loss_of(training: Document) -> Chart | None:
    """Return the chart of the loss, if the history tells it."""
    known = [
        (row["step"], row["loss"])
        for row in training["history"]
        if isinstance(row.get("loss"), int | float)
    ]
    return loss_chart(training["name"], known)


def evaluation_words(training: Document) -> str | None:
    """Say how good the model is, once devices that it did not learn from have told.

    >>> evaluation_words({"model": {}}) is None
    True
    """
    from harmony.learn.evaluation import Evaluation

    document = training["model"].get("evaluation")
    return None if document is None else str(Evaluation.from_document(document))


def coefficients(training: Document) -> list[tuple[str, str, str]]:
    """Return the model as (feature, value, weight), the intercept first; class by class.

    >>> coefficients({"model": {"training": {"features": [{"name": "wifi", "kind": "boolean"}]},
    ...     "model": {"intercept": 0.5, "weights": {"wifi": [-1.0, 1.0]}}}})
    [('intercept', '', '+0.500'), ('wifi', 'no', '-1.000'), ('wifi', 'yes', '+1.000')]
    """
    rows = []
    for about, score in _scores(training["model"]):
        rows.append((f"{about}intercept", "", _signed(score["intercept"])))
        weights = _weights_of(training["model"], about, score)
        rows += [(name, value, _signed(weight)) for name, value, weight in weights]
    return rows


def weights_chart(training: Document) -> Chart | None:
    """Return the chart of the largest weights; none while all of them are nought."""
    rows = [
        (f"{feature}: {value}" if value else feature, weight)
        for feature, value, weight in _weights(training)
    ]
    rows = sorted(rows, key=lambda row: -abs(row[1]))[:MOST_BARS]
    if not any(weight for _, weight in rows):
        return None
    return {
        "kind": "weights",
        "title": f"{training['name']}: weights",
        "labels": [name for name, _ in rows],
        "weights": [weight for _, weight in rows],
    }


def _weights(training: Document) -> Iterator[tuple[str, str, float]]:
    """Yield each feature, its value if it has values, and the weight."""
    for about, score in _scores(training["model"]):
        yield from _weights_of(training["model"], about, score)


def _scores(model: Document) -> Iterator[tuple[str, Document]]:
    """Yield the score of a model; of several classes each, and what its rows begin with."""
    if "classes" not in model:
        yield "", model["model"]
    for one in model.get("classes", []):
        yield f"{shown_value(one['class'])}: ", one["model"]


def _weights_of(model: Document, about: str, score: Document) -> Iterator[tuple[str, str, float]]:
    from harmony.learn.crosses import read_features, resolved

    for feature in resolved(read_features(model["training"]["features"])):
        name, weights = f"{about}{feature.name}", score["weights"][feature.name]
        if isinstance(weights, Sequence):
            for value, weight in zip(feature.values, weights, strict=True):
                yield name, shown_value(value), weight
        else:
            yield name, "", weights


def _signed(weight: float) -> str:
    return f"{weight:+.3f}"
