"""The constants of Duchi et al.'s method for d numbers, in its fixed form.

Nothing that ships uses it; `learn.paper` and the lab compare with it.  Given the rounded tuple v of
{-1, 1}^d, a report is uniform on T+, the tuples that agree with v in more than d/2 signs, with the
probability P[u = 1], and uniform on the rest, T-, otherwise.  `lab.baselines.duchi` has the
privacy argument.
"""

from __future__ import annotations

import math


def halves(d: int) -> tuple[int, int]:
    """Return |T+| = C_d and |T-|.

    >>> halves(3), halves(2)
    ((4, 4), (1, 3))
    """
    above = sum(math.comb(d, agree) for agree in range(d // 2 + 1, d + 1))
    return above, 2**d - above


def fixed_u_probability(epsilon: float, d: int) -> float:
    """Return P[u = 1] as section 3.1 of the paper redefines it.

    >>> round(fixed_u_probability(1.0, 3), 4), round(fixed_u_probability(1.0, 2), 4)
    (0.7311, 0.4754)
    """
    share: float = halves(d)[0] / 2**d
    e = math.exp(epsilon)
    return e * share / ((e - 1) * share + 1)


def sign_scale(epsilon: float, d: int) -> float:
    """Return B of equation (2): the signs times B are unbiased with the fixed P[u = 1].

    >>> round(sign_scale(1.0, 1), 4)
    2.164
    """
    middle = (d - 1) // 2 if d % 2 else d // 2
    ways = math.comb(d - 1, middle)
    return float(2**d / ways / math.expm1(epsilon) + halves(d)[0] / ways)
