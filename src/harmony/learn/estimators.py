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
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from ..attributes import Attribute, Boolean, Numeric
from ..bulk.columns import TableLike
from ..errors import ClippedWarning, DataError, FewDevicesWarning, SurveyError
from .collecting import train
from .domains import Bounds, Categories, column_names, numeric_domain, read_domains, warn_of_leaks
from .model import Model
from .planning import LEAST_CLOSED, plan
from .records import Records
from .training import EVALUATION, Training

METHODS = ("auto", "sgd", "mgd", "mgd-dr", "non-private")


class _Linear(BaseEstimator):
    """What the three models share: reading tables, training, predicting."""

    _loss: str
    model_: Model

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        method: str = "auto",
        bounds: Bounds = None,
        categories: Categories = None,
        seed: int | None = None,
        progress: bool | None = None,
        evaluation: float = EVALUATION,
    ) -> None:
        self.epsilon = epsilon
        self.method = method
        self.bounds = bounds
        self.categories = categories
        self.seed = seed
        self.progress = progress
        self.evaluation = evaluation

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.non_deterministic = self.seed is None
        return tags

    def _table(self, X: Any, *, reset: bool) -> TableLike:
        """Return X as a table of named columns; an array's are called x0, x1 and so on."""
        if _is_named(X):
            self._check_names(X, reset)
            return X
        array = validate_data(
            self, X, reset=reset, dtype="numeric", ensure_all_finite="allow-nan",
            ensure_min_samples=2 if reset else 1,
        )  # fmt: skip
        return {f"x{place}": array[:, place] for place in range(array.shape[1])}

    def _check_names(self, X: TableLike, reset: bool) -> None:
        names = column_names(X)
        if hasattr(X, "columns") and hasattr(X, "shape") and not hasattr(X, "column_names"):
            validate_data(self, X, reset=reset, skip_check_array=True)  # pandas and Polars
        elif reset:  # scikit-learn does not know these tables
            self.n_features_in_, self.feature_names_in_ = len(names), np.array(names, object)
        elif lost := set(self.feature_names_in_) - set(names):
            raise DataError(f"column {min(lost)!r} is missing")

    def _fit(self, table: TableLike, label: Attribute, labels: NDArray[Any]) -> None:
        if self.method not in METHODS:
            raise SurveyError(f"'method' must be one of {', '.join(METHODS)}")
        features = read_domains(table, self.bounds, self.categories)
        devices = len(labels)
        training = Training(
            "model", self.epsilon, self._loss, label, features, devices,
            evaluation=self.evaluation,
        )  # fmt: skip
        columns = {feature.name: table[feature.name] for feature in features} | {label.name: labels}
        # Steps take rows in turn, and rows are often sorted: devices come in no order.
        order = np.random.default_rng(self.seed).permutation(devices)
        records = Records(columns, training.features, label, order)
        if self.method == "auto":
            self._warn_if_few(training)
            trainer = train(training, records, seed=self.seed, progress=self.progress)
            self.model_, self.history_ = trainer.model, trainer.history
            self._warn_if_constant()
        else:
            from .published import learn_published

            score, self.history_ = learn_published(self.method, training, records, self.seed)
            self.model_ = Model(training, score)
        self.n_devices_, self.evaluation_ = devices, self.model_.evaluation

    def _warn_if_few(self, training: Training) -> None:
        expected = plan(training)
        if expected.closed < LEAST_CLOSED:
            warnings.warn(
                f"{training.devices:,} devices are few for {training.width} weights at epsilon "
                f"{training.epsilon:g}; half of what could be learned needs about "
                f"{plan(training, closed=0.5).devices:,}",
                FewDevicesWarning,
                stacklevel=4,
            )

    def _warn_if_constant(self) -> None:
        evaluation = self.model_.evaluation
        if evaluation is not None and not evaluation.kept:
            warnings.warn(f"the model: {evaluation}", FewDevicesWarning, stacklevel=4)

    def _weights(self) -> tuple[NDArray[np.float64], float]:
        """Return a weight for each column, or each of its values, in the units of X."""
        intercept = self.model_.intercept
        weights: list[NDArray[np.float64]] = []
        score = self.model_.score
        for feature, block in zip(score.features, score.blocks, strict=True):
            if isinstance(feature, Numeric):
                half = (feature.high - feature.low) / 2
                intercept -= float(block[0]) * (feature.low + half) / half
                block = block / half
            weights.append(block)
        return np.concatenate(weights), intercept

    def _label_name(self, table: TableLike) -> str:
        name = "label"
        while name in column_names(table):
            name += "_"
        return name

    def summary(self) -> str:
        """Return the model as people read it: what it cost, and its largest weights."""
        check_is_fitted(self)
        return self.model_.summary(self.history_)


class LinearRegression(RegressorMixin, _Linear):
    """Least squares for a number with public bounds, `label_bounds`.

    Bounds may be far too wide: devices tell where numbers and labels lie.  What is outside them is
    clipped, labels with a warning.  A number that is missing counts as the mean, as far as that is
    known; a value that is missing or unknown adds nothing.

    `method` is "auto", or one of the paper's: "sgd", "mgd", "mgd-dr" and "non-private", which
    simulate their noise and are for comparison.  Without a `seed` randomness is the operating
    system's.  A share of the devices, `evaluation`, takes no part in learning: `evaluation_` has
    what they say about the model, and if a constant seems better, the constant is returned.
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
        progress: bool | None = None,
        evaluation: float = EVALUATION,
    ) -> None:
        super().__init__(epsilon, method=method, bounds=bounds, categories=categories, seed=seed,
                         progress=progress, evaluation=evaluation)  # fmt: skip
        self.label_bounds = label_bounds

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # on the 200 rows of scikit-learn's own checks
        return tags

    def fit(self, X: Any, y: ArrayLike) -> LinearRegression:
        """Learn from a table of one row a device."""
        labels = _numbers(y)
        table = self._table(X, reset=True)
        _check_lengths(table, labels)
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
        weights, intercept = self._weights()
        self.coef_ = half * weights
        self.intercept_ = label.low + half + half * intercept

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the label of each row, within its bounds."""
        check_is_fitted(self)
        return self.model_.predict(self._table(X, reset=False))


class _Classifier(ClassifierMixin, _Linear):
    """A model of two classes; the second is the positive one."""

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        method: str = "auto",
        bounds: Bounds = None,
        classes: tuple[Any, Any] | None = None,
        categories: Categories = None,
        seed: int | None = None,
        progress: bool | None = None,
        evaluation: float = EVALUATION,
    ) -> None:
        super().__init__(epsilon, method=method, bounds=bounds, categories=categories, seed=seed,
                         progress=progress, evaluation=evaluation)  # fmt: skip
        self.classes = classes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: ArrayLike) -> _Classifier:
        """Learn from a table of one row a device."""
        if y is None:
            raise ValueError("fit requires y to be passed, but the target y is None")
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        table = self._table(X, reset=True)
        _check_lengths(table, labels)
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
        label = Boolean(self._label_name(table))
        self._fit(table, label, labels == self.classes_[1])
        self._set_coefficients(label)
        return self

    def _set_coefficients(self, label: Any) -> None:
        weights, intercept = self._weights()
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

    >>> random = np.random.default_rng(0)
    >>> X = random.uniform(-1, 1, (50_000, 1))
    >>> y = X[:, 0] + random.normal(0, 0.3, 50_000) > 0
    >>> model = LinearSVC(4.0, bounds=(-1, 1), classes=(False, True), seed=1).fit(X, y)
    >>> model.predict([[-1.0], [1.0]]).tolist()
    [False, True]
    """

    _loss = "hinge"


def estimator_of(model: Model) -> _Linear:
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


def _is_named(X: Any) -> bool:
    """Whether X is a table with names for its columns, and not an array."""
    if isinstance(X, dict):
        names: Any = X
    else:
        names = getattr(X, "column_names", getattr(X, "columns", None))
    return names is not None and all(isinstance(name, str) for name in names)


def _numbers(y: ArrayLike) -> NDArray[np.float64]:
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None")
    labels = np.asarray(column_or_1d(y, warn=True), np.float64)
    if not np.isfinite(labels).all():
        raise DataError("the labels hold NaN or infinity; remove such rows")
    return labels


def _check_lengths(table: TableLike, labels: NDArray[Any]) -> None:
    rows = len(table[column_names(table)[0]])
    if rows != len(labels):
        raise DataError(f"X has {rows} rows and y has {len(labels)}: they must be as many")
