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
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ..attributes import Categorical
from ..errors import ClippedWarning, DataError, SurveyError
from .class_weights import ClassWeight, checked_weights, private_rates, shifts
from .coefficients import in_units
from .crosses import Bins, Crosses, all_columns
from .domains import Bounds, Categories, numeric_domain, warn_of_leaks
from .intervals import Coefficient
from .linear import Linear, check_lengths, numeric_labels, refuse_options
from .model import Model
from .multiclass_model import MulticlassModel
from .trainer import Trainer
from .training import EVALUATION


class LinearRegression(RegressorMixin, Linear):
    """Least squares for a number with public bounds, `label_bounds`.

    Bounds may be far too wide: devices tell where numbers and labels lie.  What is outside them is
    clipped, labels with a warning.  A number that is missing counts as the mean, as far as that is
    known; a value that is missing or unknown adds nothing.

    `bins` are for effects that are no straight lines: by name, how many equal bins of its bounds a
    number has beside its slope, or their edges.  `crosses` lists pairs of columns whose effects
    depend on each other; a number among them is crossed in its bins, or in eight.

    `method` is "auto", or one of the paper's: "sgd", "mgd", "mgd-dr" and "non-private", which
    simulate their noise and are for comparison.  Randomness comes from `seed`, else from
    `random_state`, and is the operating system's if both are None.  A share of the devices,
    `evaluation`, takes no part in learning: `evaluation_` has what they say about the model, and
    if a constant seems better, the constant is returned.  A further share, `intervals`, tells
    between what the coefficients of least squares lie: see `coefficient_intervals`.

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
        bins: Bins = None,
        crosses: Crosses = None,
        seed: int | None = None,
        random_state: Any = None,
        progress: bool | None = None,
        evaluation: float = EVALUATION,
        intervals: float = 0.0,
    ) -> None:
        super().__init__(epsilon, method=method, bounds=bounds, categories=categories, bins=bins,
                         crosses=crosses, seed=seed, random_state=random_state, progress=progress,
                         evaluation=evaluation)  # fmt: skip
        self.label_bounds = label_bounds
        self.intervals = intervals

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
        assert isinstance(self.model_, Model)
        weights, intercept = in_units(self.model_.score)
        self.coef_ = half * weights
        self.intercept_ = label.low + half + half * intercept

    def coefficient_intervals(self) -> dict[str, Coefficient]:
        """Return by name what least squares without privacy would find, with 95% intervals.

        That is not `coef_`, whose weights are shrunk for the sake of predictions.  It takes devices
        of its own, `intervals`, and features that do not nearly determine one another.
        """
        check_is_fitted(self)
        assert isinstance(self.model_, Model)
        if self.model_.intervals is None:
            raise DataError(
                "the devices could not tell intervals: they are too few, or features nearly "
                "determine one another"
                if self.model_.training.intervals
                else "no device was kept for intervals; fit with 'intervals', say 0.2"
            )
        return dict(zip(self.get_feature_names_out(), self.model_.intervals, strict=True))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the label of each row, within its bounds."""
        check_is_fitted(self)
        return self.model_.predict(self._table(X, reset=False))


class _Classifier(ClassifierMixin, Linear):
    """A model of classes: of two, the second is the positive one; of more, each has a score.

    `class_weight` ("balanced", or a weight for each class) moves the intercept after the training,
    by what devices have told about the classes' frequencies.  `evaluation_` is of the model before.
    `bins` and `crosses` are as in `LinearRegression`.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        method: str = "auto",
        bounds: Bounds = None,
        classes: Sequence[Any] | None = None,
        class_weight: ClassWeight = None,
        categories: Categories = None,
        bins: Bins = None,
        crosses: Crosses = None,
        seed: int | None = None,
        random_state: Any = None,
        progress: bool | None = None,
        evaluation: float = EVALUATION,
    ) -> None:
        super().__init__(epsilon, method=method, bounds=bounds, categories=categories, bins=bins,
                         crosses=crosses, seed=seed, random_state=random_state, progress=progress,
                         evaluation=evaluation)  # fmt: skip
        self.classes = classes
        self.class_weight = class_weight

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
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
        if len(self.classes_) < 2:
            raise ValueError("the labels must have two classes or more; they have one class")
        if not np.isin(found, self.classes_).all():
            raise DataError("the labels hold a class that is not one of 'classes'")
        if self.classes is None:
            warn_of_leaks(["the labels"])
        checked_weights(self.class_weight, self.classes_.tolist())
        if self.class_weight is not None and self.method != "auto":
            raise SurveyError("'class_weight' needs the method 'auto'")
        self._fit(table, *class_column(self._label_name(table), labels, self.classes_))
        self._set_coefficients(self.model_.training.label)
        return self

    def _finished(self, trainer: Trainer) -> Model | MulticlassModel:
        if self.class_weight is None:
            return trainer.model
        rates = private_rates(trainer.class_means)
        by = shifts(self.class_weight, self.classes_.tolist(), rates)
        return trainer.model.shifted(by)

    def _set_coefficients(self, label: Any) -> None:
        model = self.model_
        scores = (model.score,) if isinstance(model, Model) else model.class_scores
        weights, intercepts = zip(*map(in_units, scores), strict=True)
        self.coef_, self.intercept_ = np.array(weights), np.array(intercepts)

    @property
    def _rows(self) -> list[Any]:
        rows: list[Any] = self.classes_.tolist()
        return rows

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return each row's score, positive for the second class; of more than two, one each."""
        check_is_fitted(self)
        return self.model_.scores(self._table(X, reset=False))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row."""
        scores = self.decision_function(X)
        places = scores > 0 if scores.ndim == 1 else np.argmax(scores, axis=1)
        return self.classes_[places.astype(np.intp)]


class LogisticRegression(_Classifier):
    """Logistic regression of two classes or more, with probabilities.

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
        """Return the probability of each class."""
        check_is_fitted(self)
        chances = self.model_.chances(self._table(X, reset=False))
        return chances if chances.ndim == 2 else np.column_stack([1 - chances, chances])


class LinearSVC(_Classifier):
    """A linear support vector machine of two classes or more.

    >>> random = np.random.default_rng(1)
    >>> X = random.uniform(-1, 1, (50_000, 1))
    >>> y = X[:, 0] + random.normal(0, 0.3, 50_000) > 0
    >>> model = LinearSVC(4.0, bounds=(-1, 1), classes=(False, True), seed=1).fit(X, y)
    >>> model.predict([[-1.0], [1.0]]).tolist()
    [False, True]
    """

    _loss = "hinge"


def class_column(
    name: str, labels: NDArray[Any], classes: NDArray[Any]
) -> tuple[Categorical, NDArray[Any]]:
    """Return the label of a training, and its values: the classes, or their numbers.

    >>> label, values = class_column("y", np.array(["b", "c"]), np.array(["a", "b", "c"]))
    >>> label.values, values.tolist()
    (('a', 'b', 'c'), ['b', 'c'])
    """
    kind = classes.dtype.kind
    if kind in "biu" or (kind in "OU" and all(isinstance(one, str) for one in classes.tolist())):
        return Categorical(name, classes.tolist()), labels
    order = np.argsort(classes)
    places = order[np.searchsorted(classes, labels, sorter=order)]
    return Categorical(name, range(len(classes))), places


def estimator_of(model: Model | MulticlassModel) -> Linear:
    """Return the fitted estimator of a model that was trained elsewhere, over a service say."""
    training, label = model.training, model.training.label
    kinds = {one._loss: one for one in (LinearRegression, LogisticRegression, LinearSVC)}
    estimator = kinds[training.loss](epsilon=training.epsilon)
    estimator.model_, estimator.history_ = model, []
    estimator.n_devices_, estimator.evaluation_ = training.devices, model.evaluation
    names = [column.source for column in all_columns(training.features)]
    estimator.n_features_in_, estimator.feature_names_in_ = len(names), np.array(names, object)
    if isinstance(estimator, _Classifier):
        estimator.classes_ = np.array(label.values)
    estimator._set_coefficients(label)
    return estimator
