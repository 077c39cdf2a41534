"""Whether a number is one that a double can hold: JSON and Python write integers beyond them."""

from __future__ import annotations

import math
from typing import Any


def is_finite(number: Any) -> bool:
    """Whether something is a number, neither infinite nor NaN, nor an integer beyond doubles.

    >>> is_finite(1.5), is_finite(float("nan")), is_finite(10**400), is_finite("1")
    (True, False, False, False)
    """
    try:
        return math.isfinite(number)
    except (OverflowError, TypeError):
        return False
