"""scikit-learn's habits: weights, seeds, names, and what fitting again costs.

Seeds are fixed, so there are no false alarms.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.multiclass import OneVsRestClassifier

from harmony.errors import DataError, RepeatedFitWarning, SurveyError
from harmony.learn import LinearRegression, LinearSVC, LogisticRegression
from harmony.learn.repeats import LEDGER, Ledger

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*few for:UserWarning", "ignore:the model. :UserWarning"
)
N = 4000


def numbers(seed: int, n: int = N) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (n, 2))
    return X, X[:, 0] + random.normal(0, 0.5, n) > 0.6


def classifier(**options) -> LogisticRegression:
    return LogisticRegression(
        4.0, bounds=(-1, 1), **{"classes": (False, True), "seed": 1} | options
    )


@pytest.mark.parametrize("kind", [LinearRegression, LogisticRegression, LinearSVC])
def test_weights_of_rows_are_refused_with_the_reason(kind) -> None:
    X, y = numbers(1, 50)
    with pytest.raises(DataError, match="a row is a device that answers once"):
        kind(bounds=(-1, 1)).fit(X, y, sample_weight=np.ones(50))
    with pytest.raises(TypeError, match="coef_init"):
        kind(bounds=(-1, 1)).fit(X, y, coef_init=1)


def test_balanced_classes_move_the_intercept_by_the_private_rate() -> None:
    X, y = numbers(2, 60_000)
    plain = classifier(evaluation=0).fit(X, y)
    even = classifier(evaluation=0, class_weight="balanced").fit(X, y)
    assert np.array_equal(plain.coef_, even.coef_)
    odds = (1 - y.mean()) / y.mean()
    assert even.intercept_ - plain.intercept_ == pytest.approx(np.log(odds), abs=0.15)
    heavier = classifier(evaluation=0, class_weight={True: 3.0}).fit(X, y)
    assert heavier.intercept_ - plain.intercept_ == pytest.approx(np.log(3.0))
    assert heavier.predict(X).mean() > plain.predict(X).mean()


@pytest.mark.parametrize(
    ("given", "message"),
    [("even", "'balanced'"), ({"maybe": 2.0}, "'maybe'"), ({True: 0.0}, "positive")],
)
def test_wrong_class_weights_are_named(given, message) -> None:
    with pytest.raises(SurveyError, match=message):
        classifier(class_weight=given).fit(*numbers(3, 100))
    with pytest.raises(SurveyError, match="'auto'"):
        classifier(class_weight="balanced", method="mgd").fit(*numbers(3, 100))


def test_random_state_is_a_seed_unless_there_is_one() -> None:
    X, y = numbers(4)

    def fitted(**options) -> np.ndarray:
        return classifier(**options).fit(X, y).coef_

    same = fitted(seed=5)
    assert np.array_equal(fitted(seed=None, random_state=5), same)
    assert np.array_equal(fitted(seed=5, random_state=6), same)
    given = [fitted(seed=None, random_state=np.random.RandomState(5)) for _ in range(2)]
    assert np.array_equal(*given)


def test_coefficients_have_names() -> None:
    random = np.random.default_rng(5)
    X = pd.DataFrame(
        {"age": random.uniform(0, 9, N), "kind": pd.Categorical(random.choice(["a", "b"], N))}
    )
    model = LinearRegression(4.0, bounds={"age": (0, 9)}, label_bounds=(0, 9), seed=1)
    model.fit(X, X["age"].to_numpy())
    names = ["age", "kind_a", "kind_b"]
    assert model.get_feature_names_out().tolist() == names
    assert model.get_feature_names_out(["age", "kind"]).tolist() == names
    with pytest.raises(ValueError, match="input_features"):
        model.get_feature_names_out(["kind", "age"])
    assert model.coefficients() == dict(zip(names, model.coef_.tolist(), strict=True))
    frame = model.to_frame()
    assert frame["feature"].tolist() == ["age", "kind", "kind"]
    assert frame["coefficient"].tolist() == model.coef_.tolist()
    assert model.n_features_in_ == 2
    assert model.feature_names_in_.tolist() == ["age", "kind"]


def test_cross_validation_says_what_it_multiplies_to() -> None:
    X, y = numbers(6)
    with pytest.warns(RepeatedFitWarning) as seen:
        cross_val_score(classifier(), X, y, cv=5)
    said = [str(one.message) for one in seen if one.category is RepeatedFitWarning]
    assert [text.split(" of ")[0] for text in said] == [f"this is fit {n}" for n in (2, 3, 3, 4)]
    assert "together 16." in said[-1]


def test_a_search_counts_its_refit_and_half_folds_share_no_row() -> None:
    X, y = numbers(7)
    search = GridSearchCV(classifier(), {"epsilon": [1.0, 2.0]}, cv=KFold(3, shuffle=True))
    with pytest.warns(RepeatedFitWarning):
        search.fit(X, y)
    best = search.best_estimator_
    assert best.n_fits_ == 5
    assert best.epsilon_spent_ == 2 * (1.0 + 2.0) + best.epsilon
    with warnings.catch_warnings():
        warnings.simplefilter("error", RepeatedFitWarning)
        cross_val_score(classifier(), *numbers(8), cv=2)


def test_one_model_a_class_counts_even_where_rows_look_alike() -> None:
    random = np.random.default_rng(9)
    X = random.integers(0, 2, (N, 2)).astype(float)
    y = random.integers(0, 3, N)
    many = OneVsRestClassifier(classifier(classes=(0, 1)))
    with pytest.warns(RepeatedFitWarning, match="fit 3 of the same rows"):
        many.fit(X, y)
    with warnings.catch_warnings():  # other people, whose rows look like those
        warnings.simplefilter("error", RepeatedFitWarning)
        classifier().fit(random.integers(0, 2, (N, 2)).astype(float), y == 1)


def test_what_is_kept_of_rows_is_bounded() -> None:
    ledger, random = Ledger(), np.random.default_rng(10)
    for _ in range(200):
        ledger.count(random.integers(0, 1 << 63, 5000, np.uint64) * 2, 1.0)
    assert len(ledger._fits) <= 1 << 17
    assert len(LEDGER._fits) <= 1 << 17
