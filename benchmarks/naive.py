"""The paper's mixed-tuple protocol as one would write it in NumPy at first: the yardstick."""

from __future__ import annotations

import math

import numpy as np

from harmony import Numeric, Survey


def collect(survey: Survey, table: dict[str, np.ndarray], seed: int = 0) -> dict[str, np.ndarray]:
    """Pick an attribute for each device, randomise its value, and estimate.

    NumPy's default generator is used, which no one should do with private data; it is faster
    than a secure one, so the comparison favours this version.
    """
    rng = np.random.default_rng(seed)
    names = [attribute.name for attribute in survey.attributes]
    devices = len(table[names[0]])
    chosen = rng.integers(len(names), size=devices)
    e = math.exp(survey.epsilon)
    scale = (e + 1) / (e - 1)
    estimates = {}
    for place, attribute in enumerate(survey.attributes):
        asked = chosen == place
        values = table[attribute.name][asked]
        if isinstance(attribute, Numeric):
            t = (values - attribute.low) / (attribute.high - attribute.low) * 2 - 1
            up = rng.random(len(t)) < (t * (e - 1) + e + 1) / (2 * e + 2)
            estimates[attribute.name] = np.where(up, scale, -scale).mean()
        else:
            size = 1 << (len(attribute.values) - 1).bit_length()
            row = rng.integers(size, size=len(values))
            sign = 1 - 2 * (np.bitwise_count(row & values.astype(np.int64)) % 2).astype(np.int64)
            kept = rng.random(len(values)) < e / (e + 1)
            sent = np.where(kept, sign, -sign) * scale
            sums = np.bincount(row, weights=sent, minlength=size)
            every = np.arange(size)
            matrix = 1 - 2 * (np.bitwise_count(every[:, None] & every[None, :]) % 2).astype(
                np.int64
            )
            estimates[attribute.name] = (matrix @ sums / len(values))[: len(attribute.values)]
    return estimates
