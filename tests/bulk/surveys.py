"""Surveys of every kind for the tests of the bulk path, and ids."""

from __future__ import annotations

import os

import numpy as np

import harmony as hm

SURVEYS = {
    "one answer": {"epsilon": 1.0},
    "three answers": {"epsilon": 4.0, "answers": 3},
    "all answers": {"epsilon": 8.0, "answers": 5},
    "tiers": {"tiers": [0.5, 1.0, 3.0]},
    "the paper's": {"epsilon": 1.0, "mechanism": "harmony"},
}


def make_survey(options: dict, weights: tuple[int, ...] = (1, 1, 1, 1, 1)) -> hm.Survey:
    attributes = [
        hm.Numeric("level", -3, 7, weight=weights[0]),
        hm.Categorical("os", [f"v{place}" for place in range(1000)], weight=weights[1]),
        hm.Integer("size", 0, 15, weight=weights[2]),
        hm.Numeric("age", 0, 100, bins=[0, 18, 40, 65, 100], weight=weights[3]),
        hm.Integer("six", 1, 6, weight=weights[4]),
    ]
    return hm.Survey("kernels", attributes, **options)


def random_ids(count: int) -> tuple[list[bytes], np.ndarray]:
    raw = os.urandom(16 * count)
    ids = [raw[16 * place : 16 * place + 16] for place in range(count)]
    return ids, np.ascontiguousarray(np.frombuffer(raw, "<u8").reshape(-1, 2).T)
