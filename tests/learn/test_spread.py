"""What a clip hides of a score that few devices make, or a long tail, is put right."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from harmony import Boolean, Categorical, Numeric
from harmony.learn import Training
from harmony.learn.collecting import train
from harmony.learn.density import Density
from harmony.learn.features import Features
from harmony.learn.placing import Places
from harmony.learn.records import Records
from harmony.learn.score import Score
from harmony.learn.spread import NORMAL, Spread, score_points
from harmony.learn.trainer import QuestionEstimate

Drawn = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
RNG = np.random.default_rng(23)
SCORES = {
    "normal": RNG.normal(0, 1, 200_000),
    "one in thirty": RNG.random(200_000) < 1 / 30,
    "a long tail": RNG.lognormal(0, 1, 200_000),
}


@pytest.mark.parametrize("deviations", [2.25, 4.5])
@pytest.mark.parametrize("kind", SCORES)
def test_what_a_clip_shows_is_what_drawn_scores_show(kind: str, deviations: float) -> None:
    """Moments are of 200,000 draws, tails included: all but those of the tail to a percent."""
    scores = SCORES[kind].astype(float)
    spread, z = Spread.clipped(scores, deviations), scores - scores.mean()
    unit = z.std()
    far, near = np.clip(z, -deviations * unit, deviations * unit), np.clip(2 * z / unit, -1, 1)
    assert np.mean(far**2) / spread.shown == pytest.approx(unit**2)
    assert np.mean(far * near) / spread.seen == pytest.approx(spread.share * unit)


def test_a_clip_is_farther_out_where_that_shows_more_than_its_noise_hides() -> None:
    rare = SCORES["one in thirty"].astype(float)
    clips = [Spread.best(rare, noise).deviations for noise in (1e-3, 1e-5, 1e-8)]
    assert clips == sorted(clips)
    assert clips[0] < clips[-1]
    assert Spread.best(NORMAL, 1e-5).deviations <= 3


def test_scores_that_are_all_alike_leave_everything_finite() -> None:
    """Such as those by a value that none of the points has."""
    found = Spread.clipped(np.zeros(100), 3.0)
    assert min(found.shown, found.seen, found.share) > 0


def test_scores_that_stand_for_devices_are_spread_as_theirs_are() -> None:
    features = [Numeric("x", -1, 1), Boolean("rare"), Categorical("plan", ["a", "b", "c"])]
    places = Places()
    places.densities["x"] = Density.even(-1.0, 1.0)
    for name, shares in {"rare": [0.98, 0.02], "plan": [0.5, 0.3, 0.2]}.items():
        places.frequencies[name] = QuestionEstimate(
            1000, np.array(shares), np.full(len(shares), 1e-9)
        )
    known = Features.of(features, places)
    score = Score(features, 0.0, [np.array([0.5]), np.array([0, 4.0]), np.array([0, 0.1, 0.2])])
    points = score_points(known, places, score)
    variance = 0.25 / 3 + 16 * 0.02 * 0.98 + 0.01 * (0.5 * 0 + 0.3 + 0.8 - 0.49)
    assert points.var() == pytest.approx(variance, rel=0.05)
    assert Spread.clipped(points, 3.0).shown < 0.7


def rare_value(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    x = rng.random(n) < 0.03
    return x, 6.0 * x + rng.normal(0, 1, n)


def long_tail(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    x = np.minimum(rng.gamma(0.5, 1, n), 9.0)
    return x, 1.5 * x + rng.normal(0, 1, n)


@pytest.mark.parametrize(
    ("drawn", "feature"), [(rare_value, Boolean("x")), (long_tail, Numeric("x", 0, 10))]
)
def test_evaluations_hold_where_few_devices_make_the_score(
    drawn: Drawn, feature: Boolean | Numeric
) -> None:
    """Of 20 intervals of 95% four or more miss once in 60 times, with other people and other noise.

    Where a normal score is taken for granted R2 seems to be a third of what it is, or less.
    """
    held, n = 0, 200_000
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, y = drawn(rng, 2 * n)
        label, table = Numeric("y", -20, 40), {"x": x[:n], "y": y[:n]}
        training = Training("tails", 2.0, "squared", label, [feature], n)
        trainer = train(training, Records(table, [feature], label), seed=seed, progress=False)
        evaluation = trainer.model.evaluation
        assert evaluation is not None
        assert evaluation.kept
        errors = trainer.model.predict({"x": x[n:]}) - y[n:]
        held += evaluation.low <= 1 - np.mean(errors**2) / np.var(y[n:]) <= evaluation.high
    assert held >= 17
