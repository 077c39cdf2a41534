"""Codes: what they take, what they refuse, and how far their bounds reach."""

from __future__ import annotations

from typing import Any

import pytest

from harmony_device import RefusedError
from harmony_device.codes import GridCode, LinearCode


@pytest.mark.parametrize("points", [2, 3, 1 << 16, 2.0])
def test_a_grid_has_two_points_to_65536(points: Any) -> None:
    code = GridCode(points)
    assert type(code.points) is int
    assert (code.points, code.inputs, code.rows) == (points, points, 1)
    assert code.to_document() == {"code": "grid", "points": points}


@pytest.mark.parametrize("points", [1, 0, -2, (1 << 16) + 1, 2.5, True, None, "2"])
def test_a_grid_of_another_size_is_refused(points: Any) -> None:
    with pytest.raises(RefusedError, match="'points' must be an integer from 2 to 65536"):
        GridCode(points)


@pytest.mark.parametrize(
    ("value", "word", "index"),
    [
        (-7.0, 0, 0),
        (-7.0, 2**64 - 1, 0),
        (999.0, 0, 4),
        (999.0, 2**64 - 1, 4),
        (10.0, 0, 0),
        (20.0, 2**64 - 1, 1),
        (15.0, (1 << 63) - 1, 1),
        (15.0, 1 << 63, 0),
    ],
)
def test_a_number_is_clipped_and_rounded_by_the_word(value: float, word: int, index: int) -> None:
    assert GridCode(5).index(value, 10.0, 50.0, word) == index


@pytest.mark.parametrize(
    ("values", "base", "digits", "multipliers", "rows"),
    [
        (2, 2, 1, [1], 1),
        (4, 2, 2, [1], 3),
        (5, 5, 1, [1, 2, 4], 3),
        (25, 5, 2, (1, 4), 12),
        (65536, 65536, 1, [65535], 1),
        (2, 65536, 2, [1], 65537),
        (2, 2, 31, [1], 2**31 - 1),
        (2, 65535, 2, [1] * 32768, 2**31),
        (25, 5.0, 2.0, [1.0, 4], 12),  # 5.0 is the integer 5
    ],
)
def test_a_linear_code_has_a_row_for_each_multiplier_and_point(
    values: int, base: Any, digits: Any, multipliers: Any, rows: int
) -> None:
    code = LinearCode(values, base, digits, multipliers)
    assert (code.rows, code.inputs) == (rows, base)
    found = (code.base, code.digits, *code.multipliers)
    assert {type(number) for number in found} == {int}
    assert code.to_document() == {
        "code": "linear", "base": base, "digits": digits, "multipliers": list(multipliers)
    }  # fmt: skip


def test_a_signed_code_leaves_out_the_row_that_asks_for_the_mean() -> None:
    code = LinearCode(7, 2, 3, [1], signed=True)
    assert (code.rows, code.inputs, code.points) == (3, 2, 3)
    assert [code.vector(point) for point in range(3)] == [5, 6, 7]
    assert code.to_document()["signed"] is True
    most = LinearCode(2**31 + 1, 2, 32, [1], signed=True)
    assert most.rows == 2**31 - 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"base": 1}, "'base'"),
        ({"base": 0}, "'base' must be a positive integer"),
        ({"base": True}, "'base' must be a positive integer"),
        ({"base": 5.5}, "'base' must be a positive integer"),
        ({"base": None}, "'base' must be a positive integer"),
        ({"base": 65537, "multipliers": [1]}, "'base' must be at most 65536"),
        ({"digits": 0}, "'digits' must be a positive integer"),
        ({"digits": "2"}, "'digits' must be a positive integer"),
        ({"digits": 10**9}, "'digits' at most 32"),
        ({"base": 2, "digits": 33, "multipliers": [1]}, "'digits' at most 32"),
        ({"base": 65536, "digits": 3}, "'digits' at most 32"),
        ({"values": 26}, "must reach the number of values"),
        ({"multipliers": []}, "'multipliers' must be a list"),
        ({"multipliers": None}, "'multipliers' must be a list"),
        ({"multipliers": {1: 2}}, "'multipliers' must be a list"),
        ({"multipliers": [1, 0]}, "between 1 and 'base' - 1"),
        ({"multipliers": [1, 5]}, "between 1 and 'base' - 1"),
        ({"multipliers": [-1]}, "between 1 and 'base' - 1"),
        ({"multipliers": [1.5]}, "between 1 and 'base' - 1"),
        ({"multipliers": [True]}, "between 1 and 'base' - 1"),
        ({"signed": 1, "values": 4, "base": 2, "multipliers": [1]}, "'signed' must be a boolean"),
        ({"signed": True}, "needs base 2 and two digits"),
        ({"signed": True, "values": 2, "base": 2, "digits": 1, "multipliers": [1]}, "two digits"),
        ({"signed": True, "values": 4, "base": 2, "multipliers": [1, 1]}, r"must be \[1\]"),
        ({"signed": True, "values": 4, "base": 2, "digits": 3, "multipliers": [1]}, "of a level"),
        ({"values": 2, "base": 2, "digits": 32, "multipliers": [1]}, "too many rows"),
        ({"values": 2, "base": 65535, "multipliers": [1] * 32769}, "too many rows"),
    ],
)
def test_a_linear_code_of_another_shape_is_refused(change: dict[str, Any], said: str) -> None:
    shape: dict[str, Any] = {"values": 25, "base": 5, "digits": 2, "multipliers": [1, 4]}
    with pytest.raises(RefusedError, match=said):
        LinearCode(**{**shape, **change})


def test_the_order_of_the_rows_is_multiplier_after_multiplier() -> None:
    code = LinearCode(25, 5, 2, [1, 3])
    for value in range(25):
        for point in range(6):
            once = code.index(value, point)
            assert code.index(value, 6 + point) == 3 * once % 5


def test_points_are_vectors_whose_highest_digit_is_one() -> None:
    code = LinearCode(27, 3, 3, [1])
    assert [code.vector(point) for point in range(13)] == [1, 3, 4, 5, *range(9, 18)]
