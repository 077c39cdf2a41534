"""The compiled loops: one device after another, its gradient, its noise.

A device's row is number (first + i) modulo n: whoever leaves out a stretch to test on starts
behind it and goes round.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

_compiled: Any = njit(cache=True, nogil=True, boundscheck=False)
_inlined: Any = njit(cache=True, nogil=True, inline="always")
_quick: Any = njit(cache=True, nogil=True, boundscheck=False, fastmath={"reassoc", "contract"})

SQUARED, LOGISTIC, HINGE = range(3)
NONE, DUCHI, LAPLACE, HARMONY = range(4)
ONE = np.uint32(1)
TWO_31 = 2.0**31


@_inlined
def _score(numbers, codes, row, constant, factors, terms, starts):  # type: ignore[no-untyped-def]  # numba infers
    score = constant
    for place in range(numbers.shape[1]):
        score += factors[place] * numbers[row, place]
    for place in range(codes.shape[1]):
        score += terms[starts[place] + codes[row, place]]
    return score


@_inlined
def _slope(loss, score, y):  # type: ignore[no-untyped-def]
    """The derivative of the loss by the score; the gradient is this times x."""
    if loss == SQUARED:
        return 2 * (score - y)
    if loss == LOGISTIC:
        return -y / (1 + math.exp(min(y * score, 700.0)))
    return -y if y * score < 1 else 0.0


@_inlined
def _clipped(value):  # type: ignore[no-untyped-def]
    return min(1.0, max(-1.0, value))


@_compiled
def scores(numbers, codes, first, count, constant, factors, terms, starts):  # type: ignore[no-untyped-def]
    """The product of each row with the coefficients."""
    found = np.empty(count)
    for i in range(count):
        row = (first + i) % len(numbers)
        found[i] = _score(numbers, codes, row, constant, factors, terms, starts)
    return found


@_compiled
def signs_of_batch(  # type: ignore[no-untyped-def]
    numbers, codes, y, first, count, score_by, starts, coordinates, projection, decay, loss,
    inverse, rng,
):  # fmt: skip
    """Algorithm 3 on the clipped gradients of a batch: the sum of signs of each coordinate.

    `score_by` makes the score from the numbers and codes; `coordinates` say which encoded column
    each coordinate is (MGD), unless `projection` makes them from the numbers and codes (MGD-DR).
    `decay` is lambda times the coefficients, `inverse` 1 / c_eps.
    """
    constant, factors, terms = score_by
    constants, rows, tables = projection
    size = len(decay)
    sums = np.zeros(size, np.int64)
    for i in range(count):
        row = (first + i) % len(numbers)
        slope = _slope(loss, _score(numbers, codes, row, constant, factors, terms, starts), y[row])
        draw = rng.random() * size
        j = min(int(draw), size - 1)
        if len(constants):
            x = _score(numbers, codes, row, constants[j], rows[j], tables[j], starts)
        elif j == len(coordinates):
            x = 1.0  # the intercept
        elif coordinates[j, 1] < 0:
            x = numbers[row, coordinates[j, 0]]
        else:
            x = 1.0 if codes[row, coordinates[j, 0]] == coordinates[j, 1] else -1.0
        t = _clipped(slope * x + decay[j])
        # What is left of the draw after choosing j is uniform again.
        sums[j] += 1 if draw - j < 0.5 + 0.5 * inverse * t else -1
    return sums


@_quick
def descend(  # type: ignore[no-untyped-def]
    numbers, codes, y, first, done, draws, blocks, intercept, beta, total, loss, decay, step, noise,
    u_probability, scale, rng,
):  # fmt: skip
    """Stochastic gradient descent: a row of `draws` a device, `done` before; changes `beta`.

    `u_probability` is Duchi's P[u = 1]; `scale` is what a sign (Duchi, Algorithm 3) or a Laplace
    variable is multiplied with.  `total`, unless it is empty, sums the iterates.
    """
    size = len(beta)
    x, v, s = np.empty(size), np.empty(size, np.int32), np.empty(size, np.int32)
    for i in range(len(draws)):
        row = (first + done + i) % len(numbers)
        x[:] = -1.0
        for place in range(numbers.shape[1]):
            x[place] = numbers[row, place]
        for place in range(len(blocks)):
            value = codes[row, place]
            if value < blocks[place, 1]:
                x[blocks[place, 0] + value] = 1.0
        if intercept:
            x[size - 1] = 1.0
        score = 0.0
        for j in range(size):
            score += x[j] * beta[j]
        slope = _slope(loss, score, y[row])
        gamma = step / math.sqrt(done + i + 1.0)
        if noise == NONE:
            for j in range(size):
                beta[j] -= gamma * (slope * x[j] + decay * beta[j])
        elif noise == HARMONY:
            draw = rng.random() * size
            j = min(int(draw), size - 1)
            t = _clipped(slope * x[j] + decay * beta[j])
            up = draw - j < 0.5 + 0.5 * size / scale * t
            beta[j] -= gamma * scale if up else -gamma * scale
        elif noise == LAPLACE:
            for j in range(size):
                draw = rng.random() - 0.5
                magnitude = -scale * math.log(max(1 - 2 * abs(draw), 1e-300))
                t = _clipped(slope * x[j] + decay * beta[j])
                beta[j] -= gamma * (t + math.copysign(magnitude, draw))
        else:
            agree = 0
            for j in range(size):
                t = _clipped(slope * x[j] + decay * beta[j])
                v[j] = (draws[i, j] >> ONE) < (0.5 + 0.5 * t) * TWO_31
                s[j] = draws[i, j] & ONE
                agree += s[j] == v[j]
            flip = _moved_to_half(s, v, agree, rng.random() < u_probability, rng)
            for j in range(size):
                beta[j] -= gamma * scale * (2 * (s[j] ^ flip) - 1)
        for j in range(len(total)):
            total[j] += beta[j]


@_compiled
def _moved_to_half(s, v, agree, wanted, rng):  # type: ignore[no-untyped-def]
    """Make the uniform tuple `s` uniform on T+ or, unless `wanted`, T-; whether to flip it.

    T+ agrees with `v` in more than half of the signs.  An odd number of signs has no ties, and
    flipping all of them maps either half onto the other; otherwise draw until it fits.
    """
    size = len(s)
    if size % 2:
        return int((2 * agree > size) != wanted)
    while (2 * agree > size) != wanted:
        agree = 0
        for j in range(size):
            s[j] = rng.random() < 0.5
            agree += s[j] == v[j]
    return 0
