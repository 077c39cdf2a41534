"""A small fixed population with known truth, for tests of estimates."""

from __future__ import annotations

import numpy as np

import harmony as hm

ATTRIBUTES = (
    hm.Numeric("level", 0, 10),
    hm.Boolean("on"),
    hm.Integer("five", 0, 4),
    hm.Integer("sixteen", 0, 15),
)


def population(devices: int, seed: int = 5) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        "level": rng.beta(2, 5, devices) * 10,
        "on": rng.random(devices) < 0.2,
        "five": rng.choice(5, devices, p=[0.5, 0.25, 0.15, 0.1, 0]),
        "sixteen": np.minimum(rng.geometric(0.3, devices) - 1, 15),
    }


def frequencies(column: np.ndarray, attribute: hm.Categorical) -> np.ndarray:
    return np.array([(column == value).mean() for value in attribute.values])
