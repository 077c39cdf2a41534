"""Learning: linear regression, logistic regression and linear SVM from randomised answers.

A training is a sequence of surveys.  Each asks devices for something that they derive from
their record and from the public model: a label, a coordinate of a gradient, a point of a
curve.  So every answer goes through the same codes and tables as any survey's.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .model import Model
    from .score import Score
    from .step import Step
    from .trainer import Trainer
    from .training import Training

__all__ = ["Model", "Score", "Step", "Trainer", "Training"]

_HOMES = {
    "Model": "model",
    "Score": "score",
    "Step": "step",
    "Trainer": "trainer",
    "Training": "training",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
