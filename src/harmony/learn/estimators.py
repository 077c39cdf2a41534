"""Linear models for scikit-learn: one row a device, each row randomised before it is looked at.

>>> import numpy as np
>>> random = np.random.default_rng(0)
>>> X = random.uniform(-1, 1, (200_000, 3))
>>> y = X @ [0.5, -0.3, 0.0] + random.normal(0, 0.2, 200_000)
>>> model = LinearRegression(epsilon=2.0, bounds=(-1, 1), label_bounds=(-2, 2), seed=1).fit(X, y)
>>> bool(model.score(X, y) > 0.7)
True
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..attributes import Boolean
from ..errors import ClippedWarning, DataError, SurveyError
from .class_weights import ClassWeight, checked_weights, private_rates, shifts
from .coefficients import in_units
from .domains import Bounds, Categories, numeric_domain, warn_of_leaks
from .linear import Linear, check_lengths, numeric_labels, refuse_options
from .model import Model
from .trainer import Trainer
from .training import EVALUATION


class LinearRegression(RegressorMixin, Linear):
    """Least squares for a number with public bounds, `label_bounds`.

    Bounds may be far too wide: devices tell where numbers and labels lie.  What is outside them is
    clipped, labels with a warning.  A number that is missing counts as the mean, as far as that is
    known; a value that is missing or unknown adds nothing.

    `method` is "auto", or one of the paper's: "sgd", "mgd", "mgd-dr" and "non-private", which
    simulate their noise and are for comparison.  Randomness comes from `seed`, else from
    `random_state`, and is the operating system's if both are None.  A share of the devices,
    `evaluation`, takes no part in learning: `evaluation_` has what they say about the model, and
    if a constant seems better, the constant is returned.

    Every fit costs the rows that it sees one epsilon: `n_fits_` says how often this process has
    fitted them by now, and `epsilon_spent_` what that adds up to.
    """

    _loss = "squared"

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        method: str = "auto",
        bounds: Bounds = None,
        label_bounds: tuple[float, float] | None = None,
        categories: Categories = None,
        seed: int | None = None,
        random_state: Any = None,
        progress: bool | None = None,
        evaluation: float = EVALUATION,
    ) -> None:
        super().__init__(epsilon, method=method, bounds=bounds, categories=categories, seed=seed,
                         random_state=random_state, progress=progress,
                         evaluation=evaluation)  # fmt: skip
        self.label_bounds = label_bounds

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # on the 200 rows of scikit-learn's own checks
        return tags

    def fit(self, X: Any, y: ArrayLike, **options: Any) -> LinearRegression:
        """Learn from a table of one row a device."""
        refuse_options(options)
        labels = numeric_labels(y)
        table = self._table(X, reset=True)
        check_lengths(table, labels)
        label, leaks = numeric_domain(self._label_name(table), labels, self.label_bounds)
        if leaks:
            warn_of_leaks(["the labels"])
        outside = int(np.count_nonzero((labels < label.low) | (labels > label.high)))
        if outside:
            warnings.warn(ClippedWarning("the labels", outside), stacklevel=2)
        self._fit(table, label, labels)
        self._set_coefficients(label)
        return self

    def _set_coefficients(self, label: Any) -> None:
        half = (label.high - label.low) / 2
        weights, intercept = in_units(self.model_.score)
        self.coef_ = half * weights
        self.intercept_ = label.low + half + half * intercept

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the label of each row, within its bounds."""
        check_is_fitted(self)
        return self.model_.predict(self._table(X, reset=False))


class _Classifier(ClassifierMixin, Linear):
    """A model of two classes; the second is the positive one.

    `class_weight` ("balanced", or a weight for each class) moves the intercept after the training,
    by what devices have told about the classes' frequencies.  `evaluation_` is of the model before.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        method: str = "auto",
        bounds: Bounds = None,
        classes: tuple[Any, Any] | None = None,
        class_weight: ClassWeight = None,
        categories: Categories = None,
        seed: int | None = None,
        random_state: Any = None,
        progress: bool | None = None,
        evaluation: float = EVALUATION,
    ) -> None:
        super().__init__(epsilon, method=method, bounds=bounds, categories=categories, seed=seed,
                         random_state=random_state, progress=progress,
                         evaluation=evaluation)  # fmt: skip
        self.classes = classes
        self.class_weight = class_weight

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True  # on the 300 rows of scikit-learn's own checks
        return tags

    def fit(self, X: Any, y: ArrayLike, **options: Any) -> _Classifier:
        """Learn from a table of one row a device."""
        refuse_options(options)
        if y is None:
            raise ValueError("fit requires y to be passed, but the target y is None")
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        table = self._table(X, reset=True)
        check_lengths(table, labels)
        found = np.unique(labels)
        self.classes_ = found if self.classes is None else np.asarray(self.classes)
        if len(self.classes_) != 2:
            raise ValueError(
                "Only binary classification is supported: the label must have two classes. "
                f"The type of the target is {type_of_target(labels)}."
            )
        if not np.isin(found, self.classes_).all():
            raise DataError("the labels hold a class that is not one of 'classes'")
        if self.classes is None:
            warn_of_leaks(["the labels"])
        checked_weights(self.class_weight, self.classes_.tolist())
        if self.class_weight is not None and self.method != "auto":
            raise SurveyError("'class_weight' needs the method 'auto'")
        label = Boolean(self._label_name(table))
        self._fit(table, label, labels == self.classes_[1])
        self._set_coefficients(label)
        return self

    def _finished(self, trainer: Trainer) -> Model:
        if self.class_weight is None:
            return trainer.model
        told = trainer.label_mean
        rates = private_rates([replace(told, estimates=-told.estimates), told])
        by = shifts(self.class_weight, self.classes_.tolist(), rates)[1]
        return replace(trainer.model, score=trainer.model.score.shifted(float(by)))

    def _set_coefficients(self, label: Any) -> None:
        weights, intercept = in_units(self.model_.score)
        self.coef_ = weights[None, :]
        self.intercept_ = np.array([intercept])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return each row's score: positive for the second class."""
        check_is_fitted(self)
        return self.model_.scores(self._table(X, reset=False))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(np.intp)]


class LogisticRegression(_Classifier):
    """Logistic regression of two classes, with probabilities.

    >>> random = np.random.default_rng(0)
    >>> X = random.uniform(-1, 1, (50_000, 1))
    >>> y = X[:, 0] + random.normal(0, 0.3, 50_000) > 0
    >>> model = LogisticRegression(4.0, bounds=(-1, 1), classes=(False, True), seed=1).fit(X, y)
    >>> low, high = model.predict_proba([[-1.0], [1.0]])[:, 1]
    >>> bool(low < 0.2 < 0.8 < high)
    True
    """

    _loss = "logistic"

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of both classes."""
        check_is_fitted(self)
        second = self.model_.chances(self._table(X, reset=False))
        return np.column_stack([1 - second, second])


class LinearSVC(_Classifier):
    """A linear support vector machine of two classes.

    >>> random = np.random.default_rng(1)
    >>> X = random.uniform(-1, 1, (50_000, 1))
    >>> y = X[:, 0] + random.normal(0, 0.3, 50_000) > 0
    >>> model = LinearSVC(4.0, bounds=(-1, 1), classes=(False, True), seed=1).fit(X, y)
    >>> model.predict([[-1.0], [1.0]]).tolist()
    [False, True]
    """

    _loss = "hinge"


def estimator_of(model: Model) -> Linear:
    """Return the fitted estimator of a model that was trained elsewhere, over a service say."""
    training, label = model.training, model.training.label
    kinds = {one._loss: one for one in (LinearRegression, LogisticRegression, LinearSVC)}
    estimator = kinds[training.loss](epsilon=training.epsilon)
    estimator.model_, estimator.history_ = model, []
    estimator.n_devices_, estimator.evaluation_ = training.devices, model.evaluation
    names = [feature.name for feature in training.features]
    estimator.n_features_in_, estimator.feature_names_in_ = len(names), np.array(names, object)
    if isinstance(estimator, _Classifier):
        estimator.classes_ = np.array(label.values)
    estimator._set_coefficients(label)
    return estimator
