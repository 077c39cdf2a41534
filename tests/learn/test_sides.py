"""Categories that tell a value and a side: what they tell, who is asked, and what it gains."""

from __future__ import annotations

import numpy as np
import pytest

from harmony import Boolean, Categorical, Numeric
from harmony.attributes import Attribute
from harmony.learn import Training
from harmony.learn.clipping import NORMAL, Clip
from harmony.learn.collecting import train
from harmony.learn.features import Block
from harmony.learn.records import Records
from harmony.learn.sides import told_by_sides, with_sides
from harmony.learn.step import Residual
from harmony.learn.trainer import QuestionEstimate

RNG = np.random.default_rng(41)
PLACES, MANY = Categorical("place", range(80)), np.array([1.0])


def share_learned(epsilon: float, n: int = 60_000) -> float:
    """Return the share that is learned of what 80 values tell, of which nothing else is known."""
    rng = np.random.default_rng(7)
    place, effects = rng.integers(0, 80, 2 * n), rng.normal(0, 1, 80)
    y = effects[place] + rng.normal(0, 1, 2 * n)
    label = Numeric("y", -20, 60)
    training = Training("places", epsilon, "squared", label, [PLACES], n, evaluation=0)
    records = Records({"place": place[:n], "y": y[:n]}, [PLACES], label)
    model = train(training, records, seed=3, progress=False).model
    place, y = place[n:], y[n:]
    constant, best = np.var(y), np.mean((y - effects[place]) ** 2)
    left = np.mean((y - np.asarray(model.predict({"place": place}))) ** 2)
    return float((constant - left) / (constant - best))


def share_of_classes(epsilon: float, n: int = 60_000) -> float:
    """Return the share that is learned of the log loss of classes that 80 values tell."""
    rng = np.random.default_rng(7)
    place, effects = rng.integers(0, 80, 2 * n), rng.normal(0, 1.5, 80)
    y = rng.logistic(0, 1, 2 * n) < effects[place]
    training = Training("places", epsilon, "logistic", Boolean("y"), [PLACES], n, evaluation=0)
    records = Records({"place": place[:n], "y": y[:n]}, [PLACES], Boolean("y"))
    model = train(training, records, seed=3, progress=False).model
    place, y = place[n:], y[n:]

    def loss(odds: np.ndarray) -> float:
        return float(np.mean(np.logaddexp(0, odds) - y * odds))

    constant = loss(np.full(n, np.log(y.mean() / (1 - y.mean()))))
    return (constant - loss(np.asarray(model.scores({"place": place})))) / (
        constant - loss(effects[place])
    )


def test_sides_tell_what_clipped_residuals_do() -> None:
    """Of 400,000 normal residuals; what is told has an error of a hundredth of the greatest."""
    place, effects = RNG.choice(3, 400_000, p=[0.5, 0.3, 0.2]), np.array([0.1, -0.1, 0.05])
    residuals = effects[place] + RNG.normal(0, 2, len(place))
    clip = Clip.of(NORMAL)
    residual = Residual("residual", clip.deviations * 2.0, clip.kept)
    signs = np.array([np.mean(np.sign(residuals) * (place == one)) for one in range(3)])
    positive = np.array([np.mean((residuals > 0) * (place == one)) for one in range(3)])
    cells = np.concatenate([(positive - signs)[::-1], [0.0], positive])
    told = QuestionEstimate(len(place), cells, np.full(7, 1e-6))
    block, scale = Block.of_values(np.array([0.5, 0.3, 0.2])), 2.0 / clip.side / residual.unit
    clipped = np.clip(residuals / residual.clip, -1, 1)
    wanted = np.array([np.mean(clipped * (place == one)) for one in range(3)])
    found = told_by_sides(block, told, scale, float(clipped.mean()))
    assert found.estimates == pytest.approx(wanted, abs=0.05 * np.abs(wanted).max())


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (NORMAL, True),
        (np.exp(0.7 * NORMAL), False),  # effects may be multiplied
        (np.maximum(NORMAL - 0.8, 0.0), False),
        (np.array([0.0, 1.0]), False),  # an effect moves no side
    ],
    ids=["normal", "exponentiated", "cut off", "two values"],
)
def test_sides_are_asked_where_they_tell_as_much(labels: np.ndarray, told: bool) -> None:
    assert bool(with_sides([PLACES], MANY, 4.0, Clip.of(labels, noise=0.01), 6)) is told


def test_sides_are_asked_at_a_large_epsilon_of_the_longest_lists() -> None:
    lists = [Categorical(f"list {count}", range(count)) for count in range(2, 22)]
    noises = np.full(len(lists), 0.1)
    assert not with_sides(lists, noises, 1.0, Clip(), 12)
    longest = {f"list {count}" for count in range(18, 22)}
    assert set(with_sides(lists, noises, 4.0, Clip(), 12)) == longest
    assert not with_sides(lists, noises / 10, 4.0, Clip(), 12)  # levels tell them well enough
    assert not with_sides([Numeric("age", 0, 120)], MANY, 4.0, Clip(), 12)


def test_many_values_are_learned_from_few_devices_at_a_large_epsilon() -> None:
    """Six other seeds had .94 to .96; with a level and a sign it was .39 to .56."""
    assert share_learned(4.0) > 0.85


def test_classes_are_learned_of_many_values_at_a_large_epsilon() -> None:
    """Six other seeds had .87 to .92; with a level and a sign it was .27 to .46."""
    assert share_of_classes(4.0) > 0.75


@pytest.mark.parametrize("label", [Numeric("y", -20, 60), Boolean("y")])
def test_lists_that_nobody_tells_of_leave_the_model_finite(label: Attribute) -> None:
    """Devices are asked to the end, but fewer come than were wanted."""
    loss = "logistic" if label.values else "squared"
    training = Training("places", 4.0, loss, label, [PLACES], 60_000)
    y = RNG.random(50) < 0.5
    records = Records({"place": RNG.integers(0, 80, 50), "y": y if label.values else y * 3.0},
                      [PLACES], label)  # fmt: skip
    model = train(training, records, seed=3, progress=False).model
    assert np.isfinite(np.asarray(model.predict({"place": np.arange(80)}), float)).all()
