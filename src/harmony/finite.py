"""Whether a number is one that a double can hold: JSON and Python write integers beyond them."""

from __future__ import annotations

import math
from typing import Any


def is_finite(number: Any) -> bool:
    """Whether a number is neither infinite nor NaN, nor an integer too large for a double.

    >>> is_finite(1.5), is_finite(float("nan")), is_finite(10**400)
    (True, False, False)
    """
    try:
        return math.isfinite(number)
    except OverflowError:
        return False
