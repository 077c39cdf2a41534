"""Small populations whose best linear model is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from harmony import Boolean, Categorical, Numeric
from harmony.attributes import Attribute
from harmony.learn import Trainer, Training
from harmony.learn.collecting import train
from harmony.learn.records import Records

FEATURES: list[Attribute] = [
    Numeric("age", 0, 100),
    Categorical("colour", ["red", "green", "blue"]),
    Boolean("wifi"),
    Categorical("size", range(5)),
]
COLOUR = np.array([-0.3, 0.0, 0.3])


def people(n: int, seed: int = 7) -> dict[str, Any]:
    """Stars depend on age, colour and wifi; `happy` says whether there are more than 3."""
    rng = np.random.default_rng(seed)
    age = rng.uniform(0, 100, n)
    colour = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    wifi = rng.random(n) < 0.7
    score = 0.4 * (age - 50) / 50 + COLOUR[colour] + 0.2 * wifi + rng.normal(0, 0.2, n)
    return {
        "age": age,
        "colour": np.array(["red", "green", "blue"], dtype=object)[colour],
        "wifi": wifi,
        "size": rng.integers(0, 5, n),
        "stars": np.clip(3 + 2 * score, 1, 5),
        "happy": score > 0.1,
    }


def label_of(loss: str) -> Attribute:
    return Numeric("stars", 1, 5) if loss == "squared" else Boolean("happy")


def training_of(loss: str, n: int, epsilon: float = 1.0, **options: Any) -> Training:
    return Training("stars", epsilon, loss, label_of(loss), FEATURES, n, **options)


def learned(loss: str, n: int, epsilon: float = 1.0, seed: int = 1) -> Trainer:
    training = training_of(loss, n, epsilon)
    return train(training, Records(people(n), FEATURES, training.label), seed=seed)
