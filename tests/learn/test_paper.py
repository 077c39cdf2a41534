"""The paper's methods: their encoding, their noise, and the order of their errors."""

from __future__ import annotations

import numpy as np
import pytest

import harmony as hm
from harmony.lab.baselines import Duchi
from harmony.lab.populations import encode, us
from harmony.lab.populations.encode import scaled
from harmony.learn.paper import METHODS, NOISES, DesignMatrix, best_in_hindsight, error, fit
from harmony.learn.paper.fitting import PROJECTED


def columns(people, table, target="income"):
    return [
        scaled(table[one.name], one)
        if isinstance(one, hm.Numeric)
        else (table[one.name], len(one.values))
        for one in people.attributes
        if one.name != target
    ]


@pytest.fixture(scope="module")
def census():
    """200,000 people: packed, encoded by the lab, and their scaled income."""
    people = us(200_000)
    table = people.table()
    x, y = encode(table, people.attributes, "income")
    return DesignMatrix.pack(columns(people, table)), x.astype(np.float64), y


@pytest.fixture(scope="module")
def few():
    """One device with five encoded columns: numbers around a category."""
    return DesignMatrix.pack([np.array([0.5]), (np.array([1]), 4), np.array([-0.25])])


ROW = np.array([0.5, -1, 1, -1, -0.25])
"""The encoding of that device."""


def test_scores_are_those_of_the_labs_encoding(census) -> None:
    matrix, x, _ = census
    coefficients = np.random.default_rng(1).normal(size=matrix.d)
    assert matrix.d == x.shape[1] == 85
    assert np.allclose(matrix.scores(coefficients, 0.5), x @ coefficients + 0.5)
    around = matrix.scores(coefficients, first=199_990, count=20)
    assert np.allclose(around, (np.vstack([x[-10:], x[:10]]) @ coefficients))


@pytest.mark.parametrize("noise", NOISES[1:])
@pytest.mark.parametrize("intercept", [False, True], ids=["odd", "even"])
def test_one_step_of_sgd_is_unbiased_with_the_variance_of_its_noise(few, noise, intercept) -> None:
    """2,000 runs of one device; 5 standard errors over 33 means and as many variances: 4e-5."""
    epsilon, runs = 2.0, 2000
    y = np.array([0.4], np.float32)
    fits = [
        fit("sgd", few, y, loss="squared", epsilon=epsilon, seed=seed, noise=noise,
            intercept=intercept)
        for seed in range(runs)
    ]  # fmt: skip
    reports = -np.array([[*coefficients, constant] for coefficients, constant, _ in fits])
    gradient = np.clip(-2 * 0.4 * np.array([*ROW, float(intercept)]), -1, 1)
    d = 5 + intercept
    variance = {
        "duchi": Duchi(epsilon, d).B ** 2 - gradient**2,
        "laplace": np.full(6, 2 * (2 * d / epsilon) ** 2),
        "harmony": d / np.tanh(epsilon / 2) ** 2 - gradient**2,
    }[noise]
    used = slice(0, d)
    errors = (reports.mean(axis=0) - gradient) / np.sqrt(variance / runs)
    assert np.abs(errors[used]).max() < 5
    ratio = reports.var(axis=0)[used] / variance[used]
    kurtosis = {"duchi": 1.0, "laplace": 6.0, "harmony": float(d)}[noise]
    assert np.abs(ratio - 1).max() < 5 * np.sqrt(kurtosis / runs)


@pytest.mark.parametrize("d", [2, 3])
def test_duchis_report_has_the_labs_exact_distribution(d) -> None:
    """Chi-square over 2^d reports of 2,000 devices, at 1e-6."""
    from scipy.stats import chi2

    rows = np.full((1, d), 0.5)
    matrix = DesignMatrix.pack([rows[:, j] for j in range(d)])
    duchi = Duchi(1.0, d)
    seen = np.zeros(2**d)
    for seed in range(2000):
        coefficients, _, _ = fit(
            "sgd", matrix, np.array([0.3], np.float32), loss="squared", epsilon=1.0, seed=seed
        )
        seen[duchi.number(-coefficients[None, :])[0]] += 1
        assert np.allclose(np.abs(coefficients), duchi.B)
    expected = 2000 * duchi.probabilities(np.full((1, d), -2 * 0.3 * 0.5))[0]
    assert ((seen - expected) ** 2 / expected).sum() < chi2.isf(1e-6, 2**d - 1)


@pytest.mark.parametrize(
    ("method", "loss"),
    [("mgd", "squared"), ("mgd", "logistic"), ("mgd", "hinge"), ("mgd-dr", "squared")],
)
def test_the_first_batch_estimates_the_clipped_gradient(census, method, loss) -> None:
    """85 (or 20) estimates within 5 standard errors; false alarms 5e-5."""
    matrix, x, y = census
    labels = y if loss == "squared" else np.where(y > 0, 1, -1).astype(np.float32)
    coefficients, _, history = fit(
        method, matrix, labels, loss=loss, epsilon=1.0, seed=3, batch=200_000
    )
    if method == "mgd-dr":
        signs = 2.0 * np.random.default_rng(3).integers(0, 2, (PROJECTED, 85)) - 1
        columns = signs[:, matrix.order] / 85
        x = x @ columns.T
        found = -np.linalg.lstsq(columns.T, coefficients)[0]
        assert np.allclose(columns.T @ -found, coefficients)
    else:
        found = -coefficients
    slope = {"squared": -2 * labels, "logistic": -labels / 2, "hinge": -labels}[loss]
    gradient = np.clip(slope[:, None] * x, -1, 1).mean(axis=0)
    stderr = np.sqrt(x.shape[1] / 200_000) / np.tanh(0.5)
    assert len(history) == 1
    assert np.abs(found - gradient).max() < 5 * stderr


def test_later_batches_move_by_the_gradient_where_they_are() -> None:
    """At epsilon 40 signs are certain: the first step is whole, then the margin is passed."""
    matrix = DesignMatrix.pack([np.ones(2000)])
    y = np.ones(2000, np.float32)
    coefficients, _, history = fit(
        "mgd", matrix, y, loss="hinge", epsilon=40.0, seed=1, batch=1000, step=2.0,
        regularisation=0.0,
    )  # fmt: skip
    assert [one.step for one in history] == [2.0, 2.0 / np.sqrt(2)]
    assert history[0].change == pytest.approx(2.0)
    assert coefficients[0] == pytest.approx(2.0, abs=0.3)


def test_the_non_private_fit_is_near_the_best(census) -> None:
    matrix, x, y = census
    train, test = slice(0, 150_000), slice(150_000, None)
    best = np.linalg.lstsq(x[train], y[train].astype(np.float64))[0]
    least = np.mean((x[test] @ best - y[test]) ** 2)
    coefficients, intercept, _ = fit("non-private", matrix, y, loss="squared", devices=150_000)
    ours = error(matrix, y, coefficients, loss="squared", first=150_000, count=50_000)
    assert intercept == 0
    assert least < ours < 1.05 * least


@pytest.mark.parametrize("loss", ["squared", "hinge"])
def test_the_order_of_the_papers_figure_2(census, loss) -> None:
    """At epsilon 0.8 the gaps are many times what seeds change, even with few people."""
    matrix, _, y = census
    labels = y if loss == "squared" else np.where(y > y.mean(), 1, -1).astype(np.float32)
    methods = METHODS if loss == "squared" else ("sgd", "mgd", "non-private")
    errors = []
    for method in methods:
        coefficients, _, _ = fit(
            method, matrix, labels, loss=loss, epsilon=0.8, seed=5, devices=180_000
        )
        errors.append(
            error(matrix, labels, coefficients, loss=loss, first=180_000, count=20_000)
        )  # fmt: skip
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 1.1 * errors[-1]


def test_the_step_in_hindsight_beats_the_papers(census) -> None:
    matrix, _, y = census
    best = best_in_hindsight(
        "mgd", matrix, y, loss="squared", epsilon=0.8, seeds=[1, 2], devices=180_000,
        steps=[1.0, 1 / 64, 1 / 256],
    )  # fmt: skip
    assert best.step < 1
    assert best.error < 0.25 < np.mean(best.errors[1.0])


def test_it_stops_when_updates_are_small_and_says_where(census) -> None:
    matrix, _, y = census
    whole = fit("mgd", matrix, y, loss="squared", epsilon=1.0, seed=1, batch=20_000)[2]
    assert [one.devices for one in whole] == list(range(20_000, 200_001, 20_000))
    early = fit(
        "mgd", matrix, y, loss="squared", epsilon=1.0, seed=1, batch=20_000, tolerance=100.0
    )[2]
    assert early == whole[:1]
    steps = fit("sgd", matrix, y, loss="squared", epsilon=1.0, seed=1, devices=50_000)[2]
    assert steps[-1].devices == 50_000


def test_fewer_devices_than_a_batch_are_one_batch(census) -> None:
    matrix, _, y = census
    history = fit("mgd", matrix, y, loss="squared", epsilon=0.05, seed=1, devices=1000)[2]
    assert [one.devices for one in history] == [1000]


def test_seeds_repeat_and_differ(census) -> None:
    matrix, _, y = census
    one, again, other = (
        fit("mgd", matrix, y, loss="squared", epsilon=1.0, seed=seed, devices=9000)[0]
        for seed in (1, 1, 2)
    )
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"method": "gd"}, "method"),
        ({"loss": "absolute"}, "loss"),
        ({"method": "mgd-dr", "loss": "hinge", "y": np.array([1.0])}, "mgd-dr"),
        ({"epsilon": None}, "epsilon"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"noise": "normal"}, "noise"),
        ({"y": np.array([2.0])}, "'y'"),
        ({"y": np.zeros(2)}, "'y'"),
        ({"loss": "logistic"}, "'y'"),
        ({"devices": 2}, "devices"),
        ({"x": []}, "'x'"),
        ({"x": [np.array([2.0])]}, "'x'"),
        ({"x": [(np.array([3]), 3)]}, "'x'"),
        ({"x": [np.zeros(1), np.zeros(2)]}, "'x'"),
    ],
)
def test_wrong_input_is_refused_by_name(few, wrong, named) -> None:
    given = {"method": "mgd", "x": few, "y": np.array([0.5]), "loss": "squared", "epsilon": 1.0}
    with pytest.raises(hm.HarmonyError, match=named):
        fit(**(given | wrong))
