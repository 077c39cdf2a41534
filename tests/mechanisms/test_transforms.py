"""The fast transforms count what a walk over all rows and values counts, to the last report."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import hadamard

from harmony.mechanisms.transforms import radon, walsh_hadamard
from harmony_device.codes import LinearCode

SHAPES = [
    (2, 1, [1]), (2, 2, [1]), (2, 5, [1]), (3, 1, [1, 2]), (3, 3, [1]), (3, 3, [2]),
    (5, 2, [1, 2]), (5, 3, [3]), (7, 1, [1, 3]), (7, 2, [1, 3, 5]), (11, 2, [1]),
]  # fmt: skip


@pytest.mark.parametrize(("base", "digits", "multipliers"), SHAPES)
@pytest.mark.parametrize("most", [3, 1 << 40])
def test_every_value_gets_the_sum_over_all_rows(
    base: int, digits: int, multipliers: list[int], most: int
) -> None:
    code = LinearCode(base**digits, base, digits, multipliers)
    by_index = np.random.default_rng(1).integers(0, most, (code.rows, base))
    direct = [
        sum(int(by_index[row, code.index(value, row)]) for row in range(code.rows))
        for value in range(base**digits)
    ]
    counted = radon(by_index, code)
    assert counted.tolist() == direct
    assert counted.dtype == np.int64


@pytest.mark.parametrize("size", [1, 2, 8, 64])
def test_the_hadamard_transform_is_the_product_with_its_matrix(size: int) -> None:
    vector = np.random.default_rng(2).integers(-9, 9, size)
    assert walsh_hadamard(vector).tolist() == (hadamard(size) @ vector).tolist()
