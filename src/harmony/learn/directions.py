"""Directions: from the answers about a gradient to the score worth moving along."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..attributes import Attribute
from .score import Floats, Score
from .trainer import Answers


def shrunk(features: Sequence[Attribute], answers: Answers, clip: float) -> Score:
    """Return the gradient, each block centred and shrunk by its known noise."""
    blocks: list[Floats] = []
    for feature in features:
        answer = answers[f"gradient of {feature.name}"]
        block, noise = answer.estimates * clip, answer.variance * clip**2
        if feature.values:
            block = block - block.mean()
        signal = max(0.0, float(np.mean(block**2 - noise)))
        shrink = signal / (signal + noise) if signal else 0.0 * noise
        blocks.append(block * shrink * (len(block) if feature.values else 1))
    return Score(tuple(features), 0.0, tuple(blocks))
