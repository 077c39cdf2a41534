"""Numbers and labels are found wherever they lie in their domains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from harmony import Boolean, Numeric
from harmony.learn import Model, Training
from harmony.learn.collecting import train
from harmony.learn.density import Counts, Density
from harmony.learn.placing import STAND_INS, number_range
from harmony.learn.records import Records

N = 300_000


def drawn(kind: str, rng: np.random.Generator, n: int) -> np.ndarray:
    """Numbers of deviation one, about, whose bulk is near zero."""
    if kind == "even":
        return rng.uniform(-1.7, 1.7, n)
    if kind == "skewed":
        return rng.lognormal(0, 0.7, n)
    if kind == "spiky":
        return np.where(rng.random(n) < 0.7, 0.0, rng.exponential(2.0, n))
    assert kind == "heavy"
    return rng.standard_t(3, n) / 1.7


def explained(kind: str, wider: float, label_wider: float = 1.0, missing: float = 0.0) -> float:
    """Return the share of what can be learned (R2 = 0.5) that two numbers teach."""
    rng = np.random.default_rng(17)
    x, z = drawn(kind, rng, N + 20_000), rng.normal(0, 1, N + 20_000)
    y = x / x.std() - z + rng.normal(0, np.sqrt(2), len(x))
    x[rng.random(len(x)) < missing] = np.nan
    top = float(np.nanmax(x))
    features = [Numeric("x", -top * 0.5 * wider, top * wider), Numeric("z", -6 * wider, 5 * wider)]
    label = Numeric("y", -12 * label_wider, 14 * label_wider)
    training = Training("placed", 1.0, "squared", label, features, N)
    table: dict[str, Any] = {"x": x[:N], "z": z[:N], "y": y[:N]}
    model = train(training, Records(table, features, label), seed=5).model
    unseen = {"x": x[N:], "z": z[N:]}
    left = np.mean((model.predict(unseen) - y[N:]) ** 2) / np.var(y[N:])
    return float((1 - left) / 0.5)


@pytest.mark.parametrize("wider", [1.0, 100.0, 1000.0])
@pytest.mark.parametrize("kind", ["even", "skewed", "spiky", "heavy"])
def test_wide_domains_cost_little(kind: str, wider: float) -> None:
    assert explained(kind, wider) > 0.75


@pytest.mark.parametrize("wider", [30.0, 1000.0])
def test_wide_domains_of_labels_cost_little(wider: float) -> None:
    assert explained("even", 1.0, wider) > 0.8


def test_missing_numbers_do_not_seem_to_lie_in_the_middle_of_a_wide_domain() -> None:
    assert explained("even", 100.0, missing=0.2) > 0.6  # of 0.5, of which 0.05 went missing


def test_numbers_that_half_of_the_devices_lack_are_found_in_a_wide_domain() -> None:
    # Were a missing number always the median so far, that would never move from a million.
    rng = np.random.default_rng(18)
    x = rng.normal(0, 1, N)
    y = x + rng.normal(0, 1, N)
    income = np.where(rng.random(N) < 0.5, np.nan, np.exp(10 + x / 2))
    features = [Numeric("income", 0, 1e7)]
    training = Training("income", 2.0, "squared", Numeric("y", -20, 20), features, N)
    records = Records({"income": income, "y": y}, features, training.label)
    model = train(training, records, seed=3).model
    left = np.mean((model.predict({"income": income}) - y) ** 2) / np.var(y)
    assert 1 - left > 0.15  # the best is 0.22


@pytest.mark.parametrize("lacking", [0.0, 0.05, 0.2, 0.6])
def test_the_share_that_lacks_a_number_is_told(lacking: float) -> None:
    """Within .1 in each of 8 runs: four standard errors.  Less than a tenth counts as none."""
    rng = np.random.default_rng(9)
    for _ in range(8):
        numbers, lacks = rng.lognormal(10, 0.5, 20_000), rng.random(20_000) < lacking
        prior = density = Density.vague(0, 1e6)
        counts: list[Counts] = []
        for quantile in STAND_INS:
            missing, edges = density.quantile(quantile), density.cut(8)
            bins = np.searchsorted(edges[1:-1], np.where(lacks, missing, numbers), "right")
            shares = np.bincount(bins, minlength=8) / len(bins) + rng.normal(0, 0.02, 8)
            counts.append(Counts(edges, shares, np.full(8, 0.02**2), missing))
            density = prior.believing(counts)
        assert density.lacking == pytest.approx(lacking if lacking > 0.1 else 0.0, abs=0.1)
        assert density.quantile(0.5) == pytest.approx(np.median(numbers), rel=0.2)
        assert len(density.points(512, 0.0, 1e6)) == 512


@pytest.mark.parametrize("rate", [0.01, 0.03, 0.1])
def test_rare_labels_have_calibrated_chances(rate: float) -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(0, 1, N)
    chance = 1 / (1 + np.exp(-(1.2 * x + np.log(rate / (1 - rate)) - 0.6)))
    training = Training("rare", 2.0, "logistic", Boolean("y"), [Numeric("x", -8, 8)], N)
    records = Records({"x": x, "y": rng.random(N) < chance}, training.features, training.label)
    chances = train(training, records, seed=2).model.chances({"x": x})
    assert float(chances.mean()) == pytest.approx(float(chance.mean()), abs=0.02)
    assert float(np.abs(chances - chance).mean()) < 0.03


def test_the_difference_of_correlated_features_is_found() -> None:
    rng = np.random.default_rng(4)
    shared = rng.normal(0, 1, N)
    x, z = (np.sqrt(0.9) * shared + np.sqrt(0.1) * rng.normal(0, 1, N) for _ in range(2))
    y = (x - z) / np.sqrt(0.2) + rng.normal(0, 1, N)
    features = [Numeric("x", -6, 6), Numeric("z", -6, 6)]
    training = Training("difference", 2.0, "squared", Numeric("y", -10, 10), features, N)
    records = Records({"x": x, "z": z, "y": y}, features, training.label)
    model = train(training, records, seed=1).model
    assert np.var(y - model.predict({"x": x, "z": z})) / np.var(y) < 0.7  # the best leaves 0.5


def test_a_model_keeps_the_ranges_of_its_numbers() -> None:
    rng = np.random.default_rng(6)
    x = rng.uniform(16, 95, 50_000)
    features = [Numeric("age", 0, 3000)]
    training = Training("kept", 4.0, "squared", Numeric("y", 0, 1000), features, 50_000)
    model = train(training, Records({"age": x, "y": x / 10}, features, training.label)).model
    (age,) = model.score.features
    assert isinstance(age, Numeric)
    assert 80 < age.high < 300
    again = Model.from_document(model.to_document())
    assert np.array_equal(again.predict({"age": x}), model.predict({"age": x}))
    assert model.predict({"age": [40.0]}) == pytest.approx([4.0], abs=1.0)


def test_counts_without_noise_are_believed() -> None:
    rng = np.random.default_rng(8)
    edges = np.array([0.0, 0.1, 0.5, 1.0, 10.0])
    shares = rng.dirichlet(np.ones(4))
    density = Density.vague(0, 10).believing([Counts(edges, shares, np.full(4, 1e-8))])
    assert np.diff(density.below(edges)) == pytest.approx(shares, abs=1e-3)


def test_counts_of_pure_noise_change_little() -> None:
    counts = Counts(np.array([0.0, 5.0, 10.0]), np.array([3.0, -2.0]), np.full(2, 1e6))
    even = Density.even(0, 10).believing([counts])
    assert even.quantile(0.5) == pytest.approx(5.0, abs=1e-3)


def test_a_range_reaches_beyond_the_quantiles_but_not_beyond_the_domain() -> None:
    low, high = number_range(Density(np.array([0.0, 1.0, 1000.0]), np.array([0.97, 0.03])))
    assert low == 0.0
    assert 1.5 < high < 10
    assert number_range(Density.even(-3, 3)) == (-3.0, 3.0)


def test_noise_at_the_far_end_of_a_domain_does_not_widen_a_labels_range() -> None:
    """Seven in a hundred seem to lie there; of 2,400 answers that is no more than noise."""
    edges = np.array([0.0, 1.0, 500.0, 1000.0])
    density = Density(edges, np.array([0.93, 0.0, 0.07]))
    low, high = number_range(density, 2_400, label=True)
    assert low == 0
    assert 1 < high < 3
