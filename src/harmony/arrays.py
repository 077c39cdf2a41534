"""The kinds of arrays that pass between rooms, each under one name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Words = NDArray[np.uint64]
"""Ids as pairs of words, coins and random bits."""

Tiers = NDArray[np.uint8]
Symbols = NDArray[np.uint16]

NO_TIERS: Tiers = np.empty(0, np.uint8)
"""What `tiers` is where a survey has only one."""
