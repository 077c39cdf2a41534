"""Learning: linear regression, logistic regression and linear SVM from randomised answers.

A training is a sequence of surveys.  Each asks devices for something that they derive from
their record and from the public model: a label, a coordinate of a gradient, a point of a
curve.  So every answer goes through the same codes and tables as any survey's.
"""

from typing import TYPE_CHECKING

from ..late_names import late_names

if TYPE_CHECKING:
    from .collecting import train
    from .estimators import LinearRegression, LinearSVC, LogisticRegression
    from .model import Model
    from .multiclass_model import MulticlassModel
    from .planning import plan
    from .records import Records
    from .score import Score
    from .step import Step
    from .trainer import Trainer
    from .training import Training

__all__ = [
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "Model",
    "MulticlassModel",
    "Records",
    "Score",
    "Step",
    "Trainer",
    "Training",
    "plan",
    "train",
]

_HOMES = {
    "LinearRegression": "estimators",
    "LinearSVC": "estimators",
    "LogisticRegression": "estimators",
    "Model": "model",
    "MulticlassModel": "multiclass_model",
    "Records": "records",
    "Score": "score",
    "Step": "step",
    "Trainer": "trainer",
    "Training": "training",
    "plan": "planning",
    "train": "collecting",
}

__getattr__, __dir__ = late_names(__name__, _HOMES)
