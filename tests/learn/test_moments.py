"""What devices of a rare class tell of every feature."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from harmony import Categorical, Numeric
from harmony.learn.density import Density
from harmony.learn.features import Features
from harmony.learn.moments import MIDDLE, Moments, Side, contrast_noise
from harmony.learn.placing import Places
from harmony.learn.tilts import Tilted
from harmony.learn.trainer import LABEL, QuestionEstimate

RATE = 0.02


def told(*estimates: float, noise: float = 1e-6) -> QuestionEstimate:
    return QuestionEstimate(1000, np.array(estimates), np.full(len(estimates), noise))


NOBODY = QuestionEstimate(0, np.zeros(3), np.full(3, np.inf))


def moments_of(
    found: dict[str, QuestionEstimate],
    celled: Sequence[str] = (),
    sign: int = 1,
    rarer: float = 0.4,
) -> Moments:
    """Return the moments of a class that 1 in 50 have, after these answers.

    It is that of label 1 or of -1, and `rarer` is how frequent the second value of g is.
    """
    features = [Numeric("x", -1, 1), Categorical("g", ["a", "b"])]
    places = Places()
    places.densities["x"] = Density.even(-1.0, 1.0)
    places.frequencies["g"] = QuestionEstimate(1000, np.array([1 - rarer, rarer]), np.full(2, 1e-9))
    moments = Moments(Features.of(features, places), places, sign * (2 * RATE - 1), celled)
    moments.scalings()
    moments.learn(found)
    return moments


def test_cells_tell_how_the_class_departs_from_everyone() -> None:
    """Three quarters of it have the rarer of two values."""
    cells = told(1 - RATE, 0.25 * RATE, 0.75 * RATE)
    moments = moments_of({"gradient of x": told(0, 1, 0), "gradient of g": cells}, ["g"])
    found = moments.gradient().means[1:]
    basis = moments.known.blocks[1].basis
    assert basis is not None
    assert found == pytest.approx(np.array([0.25 - 0.6, 0.75 - 0.4]) @ basis)


def test_log_odds_are_those_of_the_values() -> None:
    """Odds of 0.75 / 0.25 in the class where everyone has 0.4 / 0.6."""
    cells = told(1 - RATE, 0.25 * RATE, 0.75 * RATE)
    moments = moments_of({"gradient of x": NOBODY, "gradient of g": cells}, ["g"])
    for _ in range(30):
        fitted = moments.fit(2 * RATE - 1)
    weights = moments.known.blocks[1].weights(moments.log_odds(fitted, fitted.weights)[1:])
    expected = np.log(RATE * 0.75 / 0.4 / (1 - RATE * 0.75 / 0.4))
    expected -= np.log(RATE * 0.25 / 0.6 / (1 - RATE * 0.25 / 0.6))
    assert weights[1] - weights[0] == pytest.approx(expected, rel=0.1)


def test_a_value_that_seems_never_to_be_of_the_class_keeps_a_chance() -> None:
    cells = told(1 - RATE, -0.5 * RATE, 1.5 * RATE)
    moments = moments_of({"gradient of x": NOBODY, "gradient of g": cells}, ["g"])
    fitted = moments.fit(2 * RATE - 1)
    assert np.isfinite(moments.log_odds(fitted, fitted.weights)).all()


def test_the_noise_of_cells_is_that_of_their_contrasts() -> None:
    """10,000 draws of randomised response over four cells: one in a million is off by 7%."""
    rng, epsilon, n = np.random.default_rng(9), 1.0, 400
    p, q = np.exp(epsilon) / (np.exp(epsilon) + 3), 1 / (np.exp(epsilon) + 3)
    chances = np.array([p, q, q, q])  # nobody is of the class
    draws = (rng.multinomial(n, chances, 10_000) / n - q) / (p - q)
    cells = QuestionEstimate(n, draws.mean(axis=0), draws.var(axis=0))
    contrast = draws[:, 1:] @ np.array([1.0, -1.0, 0.0]) / np.sqrt(2)
    assert contrast_noise(cells) == pytest.approx(contrast.var(), rel=0.07)


def test_three_bins_tell_the_rate_and_the_weight() -> None:
    """Log-odds of 1.5 a deviation: after a few fits that is found, wherever the side is cut."""
    points = moments_of({"gradient of x": NOBODY, "gradient of g": NOBODY}).points["x"]
    tilted = Tilted.of(1.5 * points, np.full(len(points), 1 / len(points)), RATE)
    moments = moments_of({"gradient of x": NOBODY, "gradient of g": NOBODY})
    side = moments.sides["x"]
    below, above = (float(tilted.shares[side.sides == one].sum()) for one in (-1, 1))
    answer = told(RATE * below, 1 - RATE * (below + above), RATE * above)
    moments.learn({"gradient of x": answer})
    for _ in range(5):
        fitted = moments.fit(2 * RATE - 1)
    assert (1 + float(moments.told.estimates[0])) / 2 == pytest.approx(RATE, rel=0.05)
    assert fitted.weights[0] == pytest.approx(1.5, rel=0.1)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("correlation", [0.0, 0.7])
def test_the_covariance_of_label_and_score_is_that_of_drawn_people(
    sign: int, correlation: float
) -> None:
    """However features go together; of a million people, and exact answers: five errors are 4%."""
    rng, n = np.random.default_rng(4), 1_000_000
    x = rng.uniform(-1, 1, n)
    g = rng.random(n) < 0.4 + correlation * (x > 0) * 0.6 - correlation * (x < 0) * 0.4
    rare = rng.logistic(0, 1, n) < 2.0 * x + 0.8 * g - 5.0
    moments = moments_of({"gradient of x": NOBODY, "gradient of g": NOBODY}, ["g"], sign, g.mean())
    side, rate = moments.sides["x"], rare.mean()
    middle, reach = side.scaling
    middle, reach = middle / np.sqrt(3), reach / np.sqrt(3)
    above = (rare & (x > middle + reach / 2)).mean()
    below = (rare & (x < middle - reach / 2)).mean()
    ends = (below, above) if sign == 1 else (above, below)
    moments.learn({
        "gradient of x": told(ends[0], 1 - above - below, ends[1], noise=1e-12),
        "gradient of g": told(1 - rate, (rare & ~g).mean(), (rare & g).mean(), noise=1e-12),
    })  # fmt: skip
    fitted = moments.fit(sign * (2 * rate - 1))
    number, values = moments.known.score(fitted.weights).blocks
    scores = number[0] * x + values[g.astype(int)]
    expected = np.cov(scores, sign * np.where(rare, 1, -1))[0, 1]
    assert moments.covariance_with(fitted.weights) == pytest.approx(expected, rel=0.1)
    assert expected > 0


def test_a_feature_that_nobody_told_of_has_no_precision() -> None:
    moments = moments_of({"gradient of x": NOBODY, "gradient of g": told(0, 0), LABEL: NOBODY})
    gradient = moments.gradient()
    assert gradient.precisions[0] == 0
    assert np.isfinite(gradient.means).all()
    assert moments.told.n == 0


def side_of(points: np.ndarray, weight: float = 0.0) -> Side:
    frequencies = np.full(len(points), 1 / len(points))
    return Side.best(points, Tilted.of(weight * points, frequencies, RATE))


def test_the_middle_avoids_a_spike() -> None:
    """Half of all devices have the same number; on which side they are is told all the same."""
    points = np.concatenate([np.zeros(256), np.linspace(0.2, 1, 256)])
    side = side_of((points - points.mean()) / points.std())
    assert side.told > 0.95
    assert abs(side.sides[:256].sum()) == 256


@pytest.mark.parametrize("weight", [-2.0, 2.0])
def test_the_middle_goes_to_where_the_class_is(weight: float) -> None:
    """A normal class lies two deviations away from everyone; a middle of all has it on one side."""
    points = np.sort(np.random.default_rng(2).normal(0, 1, 512))
    middle = side_of(points, weight).scaling.middle * np.sign(weight)
    assert 1.0 < middle < 2.0
    assert abs(side_of(points).scaling.middle) < 0.1 + MIDDLE
