"""Writing numbers with as many decimals as their standard errors deserve."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any


def decimals_for(error: float) -> int:
    """Return how many decimals are worth showing: two digits of the standard error.

    >>> decimals_for(0.25), decimals_for(13.0), decimals_for(float("inf"))
    (2, 0, 2)
    """
    if not math.isfinite(error) or error <= 0:
        return 2
    return min(max(1 - math.floor(math.log10(error)), 0), 8)


def number_writer(
    rows: Sequence[dict[str, Any]], *, shares: bool | None = None
) -> Callable[[float], str]:
    """Return what writes the numbers of one estimate's rows: a mean plain, frequencies in %.

    `shares` says that they are frequencies, or not; else rows with a value are.

    >>> write = number_writer([{"value": "dark", "stderr": 0.0123}])
    >>> write(0.30004), write(-0.00001), write(float("nan"))
    ('30.0%', '0.0%', 'unknown')
    """
    if shares is None:
        shares = rows[0]["value"] is not None
    scale, sign = (100, "%") if shares else (1, "")
    decimals = decimals_for(scale * max(row["stderr"] for row in rows))

    def write(number: float) -> str:
        if not math.isfinite(number):
            return "unknown"
        return f"{round(scale * number, decimals) + 0.0:.{decimals}f}{sign}"  # never -0.0

    return write
