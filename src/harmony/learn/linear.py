"""What all estimators share: reading tables, training, counting fits, naming coefficients."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from ..attributes import Attribute
from ..bulk.columns import TableLike
from ..errors import (
    CoarseBinsWarning,
    DataError,
    FewDevicesWarning,
    RepeatedFitWarning,
    SurveyError,
)
from ..frames import pandas_frame
from .allocation import Allocation
from .coefficients import coefficient_names, coefficient_rows
from .collecting import train
from .crosses import Bins, Crosses, all_columns, coarse_bins, with_options
from .domains import Bounds, Categories, column_names, read_domains
from .model import Model
from .multiclass_model import MulticlassModel
from .planning import plan
from .records import Records
from .repeats import LEDGER, hashed_rows
from .trainer import Trainer
from .training import EVALUATION, Training

if TYPE_CHECKING:
    from onnx import ModelProto

METHODS = ("auto", "sgd", "mgd", "mgd-dr", "non-private")


class Linear(BaseEstimator):
    """A linear model of one row a device."""

    _loss: str
    model_: Model | MulticlassModel
    intervals: float = 0.0
    """The share of the devices that tell between what coefficients lie."""

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        method: str = "auto",
        bounds: Bounds = None,
        categories: Categories = None,
        bins: Bins = None,
        crosses: Crosses = None,
        seed: int | None = None,
        random_state: Any = None,
        progress: bool | None = None,
        evaluation: float = EVALUATION,
    ) -> None:
        self.epsilon = epsilon
        self.method = method
        self.bounds = bounds
        self.categories = categories
        self.bins = bins
        self.crosses = crosses
        self.seed = seed
        self.random_state = random_state
        self.progress = progress
        self.evaluation = evaluation

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.non_deterministic = self.seed is None and self.random_state is None
        return tags

    def _table(self, X: Any, *, reset: bool) -> TableLike:
        """Return X as a table of named columns; an array's are called x0, x1 and so on."""
        if is_named(X):
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
        domains = read_domains(table, self.bounds, self.categories, self.bins)
        features = with_options(domains, self.bins, self.crosses)
        devices, seed = len(labels), seed_of(self.seed, self.random_state)
        training = Training(
            "model", self.epsilon, self._loss, label, features, devices,
            evaluation=self.evaluation, intervals=self.intervals,
        )  # fmt: skip
        columns = {one.name: table[one.name] for one in domains} | {label.name: labels}
        # Steps take rows in turn, and rows are often sorted: devices come in no order.
        order = np.random.default_rng(seed).permutation(devices)
        records = Records(columns, training.features, label, order)
        self._count(records)
        if self.method == "auto":
            self._warn_if_few(training)
            trainer = train(training, records, seed=seed, progress=self.progress)
            self.model_, self.history_ = self._finished(trainer), trainer.history
            self._warn_if_constant(training)
            self._warn_of_bins(trainer)
        else:
            from .published import learn_published

            if training.multiclass:
                raise SurveyError("the paper's methods know two classes; use the method 'auto'")
            score, self.history_ = learn_published(self.method, training, records, seed)
            self.model_ = Model(training, score)
        self.n_devices_, self.evaluation_ = devices, self.model_.evaluation

    def _finished(self, trainer: Trainer) -> Model | MulticlassModel:
        """Return the model that is wanted of a training."""
        return trainer.model

    def _count(self, records: Records) -> None:
        """Count the fits of these rows; say so if this is not the first."""
        if self.method == "non-private":
            return
        fits = LEDGER.count(hashed_rows(records), float(self.epsilon))
        self.n_fits_, self.epsilon_spent_ = fits
        if fits.times > 1:
            warnings.warn(
                f"this is fit {fits.times} of the same rows: each costs its own epsilon, together "
                f"{fits.epsilon:g}. Cross-validation, a search over parameters or a model a "
                "class multiply what devices tell; on real devices each fit would ask them again",
                RepeatedFitWarning,
                stacklevel=4,
            )

    def _warn_if_few(self, training: Training) -> None:
        allocation = Allocation(training)
        if not allocation.learns:
            needed = max(plan(training, closed=0.5).devices, allocation.least_devices)
            warnings.warn(
                f"{training.devices:,} devices are few for {training.width} weights at epsilon "
                f"{training.epsilon:g}; half of what could be learned needs about {needed:,}",
                FewDevicesWarning,
                stacklevel=4,
            )

    def _warn_if_constant(self, training: Training) -> None:
        evaluation = self.model_.evaluation
        if evaluation is not None and not evaluation.kept:
            warnings.warn(f"the model: {evaluation}", FewDevicesWarning, stacklevel=4)
        elif evaluation is None and self.model_.constant and Allocation(training).learns:
            warnings.warn(
                f"the model is a constant: {training.devices:,} devices at epsilon "
                f"{training.epsilon:g} tell no more about this label",
                FewDevicesWarning,
                stacklevel=4,
            )

    def _warn_of_bins(self, trainer: Trainer) -> None:
        coarse: list[str] = []
        for feature in trainer.training.features:
            told = trainer.frequencies(feature)
            if told.n:
                coarse += coarse_bins(feature, told.estimates, told.variance)
        if coarse:
            warnings.warn(
                f"nearly all devices lie in few of the bins of {', '.join(dict.fromkeys(coarse))}: "
                "equal bins are parts of the bounds; list edges in 'bins' where the numbers lie",
                CoarseBinsWarning,
                stacklevel=4,
            )

    def _label_name(self, table: TableLike) -> str:
        name = "label"
        while name in column_names(table):
            name += "_"
        return name

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return a name for each coefficient: a column's, and the value's where it has values."""
        check_is_fitted(self)
        features = self.model_.training.features
        own = [column.source for column in all_columns(features)]
        if input_features is not None and [str(one) for one in np.asarray(input_features)] != own:
            raise ValueError("input_features is not equal to feature_names_in_")
        return np.array(coefficient_names(features), object)

    def coefficients(self) -> dict[str, Any]:
        """Return the coefficients by name, in the units of X; of each class, if there are many."""
        return _by_name(self.get_feature_names_out(), np.atleast_2d(self.coef_), self._rows)

    def to_frame(self) -> Any:
        """Return the coefficients as a pandas DataFrame: feature, value, coefficient."""
        check_is_fitted(self)
        rows = coefficient_rows(self.model_.training.features)
        weights = np.atleast_2d(self.coef_)
        if len(weights) == 1:
            return pandas_frame(
                [row | {"coefficient": one} for row, one in zip(rows, weights[0], strict=True)]
            )
        return pandas_frame(
            [
                {"class": name} | row | {"coefficient": one}
                for name, block in zip(self._rows, weights, strict=True)
                for row, one in zip(rows, block, strict=True)
            ]
        )

    @property
    def _rows(self) -> list[Any]:
        """What the rows of `coef_` are called, if it has several."""
        return []

    def card(self) -> str:
        """Return the model's card in Markdown: what was asked, its cost, how good it is, limits."""
        check_is_fitted(self)
        return self.model_.card()

    def to_onnx(self) -> ModelProto:
        """Return the model for ONNX runtimes, with an input for each column of X."""
        check_is_fitted(self)
        return self.model_.to_onnx()

    def summary(self) -> str:
        """Return the model as people read it: what it cost, and its largest weights."""
        check_is_fitted(self)
        return self.model_.summary(self.history_)


def seed_of(seed: int | None, random_state: Any) -> int | None:
    """Return the seed that is meant: `seed`, or else scikit-learn's `random_state`.

    >>> seed_of(7, 1), seed_of(None, 1), seed_of(None, None)
    (7, 1, None)
    """
    if seed is not None or random_state is None:
        return seed
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


def refuse_options(options: dict[str, Any]) -> None:
    """Refuse what `fit` does not take, weights of rows with a reason."""
    if options.pop("sample_weight", None) is not None:
        raise DataError(
            "'sample_weight' is not supported: a row is a device that answers once and counts "
            "once, for a weight of its own would tell about it. Weigh classes with 'class_weight', "
            "or leave rows out"
        )
    if options:
        raise TypeError(f"fit() got an unexpected keyword argument {min(options)!r}")


def _by_name(names: NDArray[Any], weights: NDArray[Any], rows: list[Any]) -> dict[str, Any]:
    found = [dict(zip(names.tolist(), block.tolist(), strict=True)) for block in weights]
    return found[0] if len(found) == 1 else dict(zip(rows, found, strict=True))


def is_named(X: Any) -> bool:
    """Whether X is a table with names for its columns, and not an array."""
    if isinstance(X, dict):
        names: Any = X
    else:
        names = getattr(X, "column_names", getattr(X, "columns", None))
    return names is not None and all(isinstance(name, str) for name in names)


def numeric_labels(y: ArrayLike) -> NDArray[np.float64]:
    """Return labels as finite numbers."""
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None")
    labels = np.asarray(column_or_1d(y, warn=True), np.float64)
    if not np.isfinite(labels).all():
        raise DataError("the labels hold NaN or infinity; remove such rows")
    return labels


def check_lengths(table: TableLike, labels: NDArray[Any]) -> None:
    """Refuse a table and labels that are not equally long."""
    rows = len(table[column_names(table)[0]])
    if rows != len(labels):
        raise DataError(f"X has {rows} rows and y has {len(labels)}: they must be as many")
