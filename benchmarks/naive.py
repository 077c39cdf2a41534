"""The same work in plain NumPy, as one would write it at first: the yardsticks of `collect`.

`collect` does the very same job as `Survey.collect`: it is the bulk path's own reference, over
whole columns at once instead of chunk by chunk, on one thread.  `paper_protocol` does much less:
the paper's two mechanisms, private coins, and NumPy's default generator, which no one should use
with private data.
"""

from __future__ import annotations

import math

import numpy as np

from harmony import Numeric, Round, Survey, Tally
from harmony.bulk import reference
from harmony.bulk.backend import using
from harmony.bulk.collect import Randomizer


def collect(survey: Survey, table: dict[str, np.ndarray], seed: int, round: Round) -> Tally:
    """Randomise and count every row, with whole-array operations."""
    devices = Randomizer(survey, table, seed, round=round)
    with using(reference):
        return devices.tally(*devices.count([(0, devices.devices)]))


def paper_protocol(
    survey: Survey, table: dict[str, np.ndarray], seed: int = 0
) -> dict[str, np.ndarray]:
    """The paper's mixed-tuple protocol: pick an attribute, randomise its value, estimate."""
    rng = np.random.default_rng(seed)
    devices = len(next(iter(table.values())))
    chosen = rng.integers(len(survey.attributes), size=devices)
    e = math.exp(survey.epsilon)
    scale = (e + 1) / (e - 1)
    estimates = {}
    for place, attribute in enumerate(survey.attributes):
        values = table[attribute.name][chosen == place]
        if isinstance(attribute, Numeric):
            t = (values - attribute.low) / (attribute.high - attribute.low) * 2 - 1
            up = rng.random(len(t)) < (t * (e - 1) + e + 1) / (2 * e + 2)
            estimates[attribute.name] = np.where(up, scale, -scale).mean()
            continue
        size = 1 << (len(attribute.values) - 1).bit_length()
        every = np.arange(size)
        matrix = 1 - 2 * (np.bitwise_count(every[:, None] & every[None, :]) % 2).astype(np.int64)
        row = rng.integers(size, size=len(values))
        kept = rng.random(len(values)) < e / (e + 1)
        sent = np.where(kept, matrix[row, values], -matrix[row, values]) * scale
        sums = np.bincount(row, weights=sent, minlength=size)
        estimates[attribute.name] = (matrix @ sums / len(values))[: len(attribute.values)]
    return estimates
