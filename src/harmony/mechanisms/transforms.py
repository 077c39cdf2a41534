"""Fast transforms that turn counts by row into counts by value.

Every value v asks for the sum over rows x of counts[x][x . v].  Summing that directly takes
rows times values steps; here it is a Walsh-Hadamard or a Fourier transform over the digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from harmony_device.codes import LinearCode

from ..arrays import Counts


def radon(by_index: Counts, code: LinearCode) -> Counts:
    """Return, for each of the base**digits values v, the sum over rows of by_index[row, row . v].

    >>> code = LinearCode(values=9, base=3, digits=2, multipliers=[1])
    >>> by_index = np.arange(code.rows * 3).reshape(code.rows, 3)
    >>> direct = [sum(by_index[r, code.index(v, r)] for r in range(code.rows)) for v in range(9)]
    >>> radon(by_index, code).tolist() == direct
    True
    """
    g = code.base
    permuted = np.outer(code.multipliers, np.arange(g)) % g
    by_multiplier = by_index.reshape(len(code.multipliers), code.points, g)
    by_point = np.take_along_axis(by_multiplier, permuted[:, None, :], axis=2).sum(axis=0)
    if code.digits == 1:
        one: Counts = by_point[0]
        return one
    return _by_value(by_point) if g == 2 else _fourier(by_point, code)


def index_table(code: LinearCode, size: int) -> Counts:
    """Return index[row, value]: what `code.index` gives, for all rows and `size` values.

    >>> code = LinearCode(values=5, base=3, digits=2, multipliers=[1, 2])
    >>> table = index_table(code, 5)
    >>> table.tolist() == [[code.index(v, r) for v in range(5)] for r in range(code.rows)]
    True
    """
    g, values = code.base, np.arange(size)
    vectors = point_numbers(code)
    products = np.zeros((len(vectors), len(values)), np.int64)
    while vectors.any():
        vectors, row_digit = np.divmod(vectors, g)
        values, value_digit = np.divmod(values, g)
        products += np.outer(row_digit, value_digit)
    table: Counts = np.concatenate([multiplier * products % g for multiplier in code.multipliers])
    return table


def _by_value(by_point: Counts) -> Counts:
    """The case g = 2: exact integers throughout.  Point i is the vector with number i + 1."""
    signed = np.concatenate([[0], by_point[:, 0] - by_point[:, 1]])
    halves: Counts = (by_point.sum() + walsh_hadamard(signed)) // 2
    return halves


def walsh_hadamard(spectrum: NDArray[Any]) -> NDArray[Any]:
    """Return the product with the Hadamard matrix whose entry (i, j) is (-1)^(i . j).

    >>> walsh_hadamard(np.array([1, 2, 3, 4])).tolist()
    [10, -2, -4, 0]
    """
    size, half, sums = len(spectrum), 1, spectrum
    while half < size:
        pairs = sums.reshape(-1, 2, half)
        sums = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1)
        half *= 2
    return sums.reshape(size)


def _fourier(by_point: Counts, code: LinearCode) -> Counts:
    """The case g > 2: each row's spectrum, spread along its line, then one Fourier transform.

    The sums are integers below 2**53, so rounding the result makes it exact again.
    """
    from scipy import fft

    g, t = code.base, code.digits
    spectrum = fft.rfft(by_point, axis=1)
    lines = np.zeros((g,) * t, dtype=np.complex128)
    flat = lines.reshape(-1)
    flat[0] = by_point.sum()
    vectors = point_numbers(code)
    for frequency in range(1, g // 2 + 1):
        # Lines meet in zero only, so every place but that one belongs to one row.
        flat[_multiples(vectors, frequency, g)] = spectrum[:, frequency]
        flat[_multiples(vectors, g - frequency, g)] = spectrum[:, frequency].conj()
    # The digits of a value are stored lowest first; as a C-order index the highest comes first.
    sums = fft.ifftn(lines, overwrite_x=True).real * g ** (t - 1)
    counts: Counts = np.rint(sums.reshape(-1)).astype(np.int64)
    return counts


def point_numbers(code: LinearCode) -> Counts:
    """Return the number that each point of a code, the vector of its rows, spells in base g.

    >>> code = LinearCode(values=9, base=3, digits=2, multipliers=[1])
    >>> point_numbers(code).tolist() == [code.vector(point) for point in range(code.points)]
    True
    """
    g, t = code.base, code.digits
    if code.signed:
        return np.arange(code.points) + code.points + 2
    starts = np.array([(g**leading - 1) // (g - 1) for leading in range(t)])
    points = np.arange(code.points)
    leading = np.searchsorted(starts, points, side="right") - 1
    numbers: Counts = points - starts[leading] + g**leading
    return numbers


def _multiples(vectors: Counts, factor: int, g: int) -> Counts:
    """Return the numbers of the vectors times a factor, digit by digit modulo g."""
    if factor == 1:
        return vectors
    products = np.zeros_like(vectors)
    place, rest = 1, vectors
    while rest.any():
        rest, digit = np.divmod(rest, g)
        products += digit * factor % g * place
        place *= g
    return products
