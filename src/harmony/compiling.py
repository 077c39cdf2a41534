"""How the bulk kernels are compiled, and the words that they share.

Numba keeps what it compiled beside each file until that file changes; whoever changes something
that another file's kernels call must touch that file, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

compiled: Any = njit(cache=True, nogil=True, boundscheck=False)
inlined: Any = njit(cache=True, nogil=True, inline="always")

LOW_HALF = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
ONE, TWO, TRIPLE = np.uint64(1), np.uint64(2), np.uint64(3)
