"""Properties of coins, codes and tables, beyond what the vectors show."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from fractions import Fraction
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harmony_device import RefusedError
from harmony_device.codes import GridCode, LinearCode
from harmony_device.coins import Draws, assign, siphash24
from harmony_device.exact import BOUND_BITS, exp_floor
from harmony_device.tables import TOTAL, CirculantTable, DenseTable, check_table

SIXTEEN = st.binary(min_size=16, max_size=16)


@given(seed=SIXTEEN, device=SIXTEEN)
def test_draws_are_the_halves_of_siphash_words(seed: bytes, device: bytes) -> None:
    draws = Draws(seed, device)
    for counter in range(3):
        word = siphash24(seed, device + counter.to_bytes(4, "little"))
        assert draws.below(1 << 32) == word & 0xFFFFFFFF
        assert draws.below(1 << 32) == word >> 32


@given(
    seed=SIXTEEN,
    device=SIXTEEN,
    asked=st.lists(st.tuples(st.integers(1, 1 << 16), st.integers(1, 1 << 31)), min_size=1),
)
def test_one_answer_is_the_general_walk(
    seed: bytes, device: bytes, asked: list[tuple[int, int]]
) -> None:
    weights, rows = [list(one) for one in zip(*asked, strict=True)]
    quick = assign(seed, device, weights, rows, 1)
    draws = Draws(seed, device)
    rest = draws.below(sum(weights))
    attribute = bisect_right(list(accumulate(weights)), rest)
    assert quick == [(attribute, draws.below(rows[attribute]))]


@given(
    seed=SIXTEEN,
    device=SIXTEEN,
    weights=st.lists(st.integers(1, 9), min_size=1, max_size=12),
    share=st.floats(0, 1),
)
def test_a_device_is_asked_distinct_attributes(
    seed: bytes, device: bytes, weights: list[int], share: float
) -> None:
    answers = max(1, int(share * len(weights)))
    rows = [place + 1 for place in range(len(weights))]
    asked = assign(seed, device, weights, rows, answers)
    assert len({attribute for attribute, _ in asked}) == answers
    assert all(0 <= row < rows[attribute] for attribute, row in asked)


def test_weights_say_how_often_an_attribute_is_asked() -> None:
    """Fixed devices, so no false alarm: each share is within 5 standard errors."""
    devices = [place.to_bytes(16, "little") for place in range(4000)]
    asked = Counter(assign(bytes(16), one, [1, 2, 5], [1] * 3, 1)[0][0] for one in devices)
    for attribute, share in enumerate((1 / 8, 2 / 8, 5 / 8)):
        error = (share * (1 - share) / len(devices)) ** 0.5
        assert abs(asked[attribute] / len(devices) - share) < 5 * error


@pytest.mark.parametrize("answers", [1, 2])
def test_the_last_bit_of_a_draw_counts(answers: int) -> None:
    """Two attributes, whose weights meet at the draw and then just above it."""
    device = next(
        one for one in (place.to_bytes(16, "little") for place in range(100))
        if siphash24(bytes(16), one + bytes(4)) & 1
    )  # fmt: skip
    draw = siphash24(bytes(16), device + bytes(4)) & 0xFFFFFFFF
    for first, asked in ((draw, 1), (draw + 1, 0)):
        weights = [first, (1 << 32) - first]
        assert assign(bytes(16), device, weights, [1, 1], answers)[0] == (asked, 0)


@pytest.mark.parametrize(("seed", "device"), [(15, 16), (16, 17), (0, 16)])
@pytest.mark.parametrize("answers", [1, 2])
def test_a_seed_or_an_id_of_another_length_is_refused(seed: int, device: int, answers: int) -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        assign(bytes(seed), bytes(device), [1, 1], [1, 1], answers)


@pytest.mark.parametrize("value", [0.0, 12.5, 30.0, 99.9, 100.0])
def test_rounding_to_the_grid_keeps_the_expectation(value: float) -> None:
    code = GridCode(points=5)
    steps = 1 << 12
    words = [place << 52 for place in range(steps)]
    mean = Fraction(sum(code.index(value, 0.0, 100.0, word) for word in words), steps)
    assert abs(mean - Fraction(value) / 25) <= Fraction(1, steps)


@pytest.mark.parametrize(("base", "digits"), [(2, 3), (3, 2), (5, 2), (7, 1)])
def test_two_values_agree_on_the_same_share_of_rows(base: int, digits: int) -> None:
    code = LinearCode(base**digits, base, digits, [1])
    agreeing = {
        sum(code.index(one, row) == code.index(other, row) for row in range(code.rows))
        for one in range(base**digits)
        for other in range(one)
    }
    assert agreeing == {(base ** (digits - 1) - 1) // (base - 1)}


@given(st.lists(st.integers(1, 1 << 40), min_size=2, max_size=8), st.integers(0, TOTAL - 1))
def test_a_draw_finds_the_symbol_whose_counts_it_lies_in(parts: list[int], draw: int) -> None:
    counts = [*parts, TOTAL - sum(parts)]
    symbol = DenseTable([counts, counts]).walk(0, draw)
    assert sum(counts[:symbol]) <= draw < sum(counts[: symbol + 1])
    turned = CirculantTable(counts).walk(3, draw)
    assert turned == (3 + symbol) % len(counts)


@given(st.integers(1, 4000).map(lambda part: Fraction(part, 200)))
def test_the_bound_is_below_the_exponential_and_close(epsilon: Fraction) -> None:
    bound = Fraction(exp_floor(epsilon), 1 << BOUND_BITS)
    term = total = Fraction(1)
    for order in range(1, 120):
        term *= epsilon / order
        total += term
    remainder = 2 * term  # more than the rest of the series, whose terms shrink by half by now
    assert bound <= total + remainder
    assert total - bound < Fraction(1, 2**90)


def test_a_table_is_checked_against_its_share_of_epsilon() -> None:
    table = CirculantTable([TOTAL // 2 + (1 << 50), TOTAL // 2 - (1 << 50)])  # ratio 5 / 3
    check_table(table, 1.1, answers=2)
    with pytest.raises(RefusedError, match="promised epsilon"):
        check_table(table, 1.0, answers=2)
