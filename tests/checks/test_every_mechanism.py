"""Properties that every mechanism must have: exact epsilon, unbiased, variance as promised."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from harmony.attributes import Categorical, Numeric, Signed
from harmony.document import Promises, _read_mechanism
from harmony.estimate.combine import sampling_of
from harmony.estimate.sampling import Sample
from harmony.mechanisms import Grid, Linear, SignedLinear
from harmony.mechanisms.audit import log_ceiling
from harmony_device.codes import GridCode, LinearCode
from harmony_device.errors import RefusedError
from harmony_device.tables import (
    TOTAL,
    CirculantTable,
    DenseTable,
    Promise,
    check_table,
    table_from_document,
    worst_ratio_of,
)

from .cases import CASES, MEMORY_CASES, SMALL_CASES, Case

every_case = pytest.mark.parametrize("case", CASES, ids=str)
small_cases = pytest.mark.parametrize("case", SMALL_CASES, ids=str)


@every_case
def test_its_table_keeps_epsilon_exactly_and_wastes_almost_none(case: Case) -> None:
    built = case.build()
    table, memo = built.table, built.memo
    if memo is None:
        check_table(table, Fraction(case.epsilon))
        realised = log_ceiling(table.worst_ratio())
    else:
        Promise(Fraction(case.epsilon)).check(table, memo.replace)
        realised = log_ceiling(worst_ratio_of(memo.replace.after(table)))
    assert case.epsilon * (1 - 1e-5) <= realised <= case.epsilon


@pytest.mark.parametrize("case", MEMORY_CASES, ids=str)
def test_its_memo_keeps_memory_and_each_change_what_it_says(case: Case) -> None:
    built = case.build()
    assert built.memo.epsilon <= case.memory
    check_table(built.table, built.memo.epsilon)
    assert log_ceiling(built.table.worst_ratio()) >= float(built.memo.epsilon) * (1 - 1e-5)
    Promise(built.memo.change).check(built.memo.replace)
    with pytest.raises(RefusedError, match="times likelier"):
        Promise(built.memo.change * (1 - 1e-9)).check(built.memo.replace)


@pytest.mark.parametrize("case", MEMORY_CASES, ids=str)
def test_a_round_with_memory_is_within_two_hundredths_of_one_without(case: Case) -> None:
    built, plain = case.build(), replace(case, memory=None).build()
    name = "worst_variance" if case.values is None else "zero_variance"
    assert getattr(built, name) <= 1.02 * getattr(plain, name)


@pytest.mark.parametrize("case", MEMORY_CASES, ids=str)
def test_a_fifth_of_its_noise_is_permanent_at_least(case: Case) -> None:
    built = case.build()
    if case.values is None:
        permanent, noise = built.permanent_noise_at(built.points), built.point_noise
    else:
        rare = np.array([0, 1 / case.values])
        permanent, noise = built.permanent_noise_at(rare), built.noise_at(rare)
    assert permanent.sum() >= 0.2 * noise.sum() * (1 - 1e-6)
    assert (permanent <= noise).all()


@every_case
def test_its_rows_sum_to_the_total(case: Case) -> None:
    table = case.build().table
    rows = table.counts if isinstance(table, DenseTable) else [table.counts]
    assert all(sum(row) == TOTAL for row in rows)


@every_case
def test_moving_one_count_too_many_is_refused(case: Case) -> None:
    """Take the worst symbol's smallest count down until the bound breaks: it must be seen."""
    built = case.build()
    table, memo = built.table, built.memo
    document = table.to_document()
    row = document["counts"] if isinstance(table, CirculantTable) else None
    if row is None:
        column = max(
            range(table.symbols),
            key=lambda s: Fraction(
                max(r[s] for r in table.counts), min(r[s] for r in table.counts)
            ),
        )
        row = min(document["counts"], key=lambda r: r[column])
        low, high = (
            column,
            max((s for s in range(table.symbols) if s != column), key=row.__getitem__),
        )
    else:
        low, high = row.index(min(row)), row.index(max(row))
    moved = max(2, row[low] // 1000)
    row[low] -= moved
    row[high] += moved
    with pytest.raises(RefusedError, match="times likelier"):
        check_table(
            table_from_document(document), Fraction(case.epsilon) if memo is None else memo.epsilon
        )


@every_case
def test_a_row_that_does_not_sum_to_the_total_is_refused(case: Case) -> None:
    document = case.build().table.to_document()
    row = document["counts"] if isinstance(document["counts"][0], int) else document["counts"][0]
    row[0] += 1
    with pytest.raises(RefusedError, match="sum to exactly"):
        table_from_document(document)


@every_case
def test_it_survives_a_round_trip_through_its_document(case: Case) -> None:
    built = case.build()
    kinds = {Linear: Categorical, SignedLinear: Signed}
    attribute = (
        Numeric("x", 0, 1) if case.values is None else kinds[case.kind]("x", range(case.values))
    )
    document = built.to_document() | {"table": 0}
    tables, promises = [built.table], Promises(built.epsilon)
    if built.memo is not None:
        document["replace"] = 1
        tables.append(built.memo.replace)
        promises = Promises(built.epsilon, built.memo.epsilon, Fraction(built.memo.change))
    written = [table_from_document(one.to_document()) for one in tables]
    read = _read_mechanism(document, attribute, written, promises)
    assert read.to_document() == built.to_document()
    assert read.table.counts == built.table.counts
    if built.memo is not None:
        assert read.memo.replace.to_document() == built.memo.replace.to_document()


@small_cases
def test_it_is_unbiased_by_exact_expectation(case: Case) -> None:
    """The expectation of the decoded symbol, summed over the table, is the value itself."""
    built = case.build()
    if isinstance(built, Grid):
        assert (
            np.abs(built.probabilities @ built.values - built.points).max() < 1e-9 * built.highest
        )
        return
    expected = _expected_cells(built)
    if isinstance(built, SignedLinear):
        size = built.code.rows + 1
        for code in range(size + built.values):
            level, sign = code % size, 1 - 2 * (code // size)
            estimates = built.moments(expected[code]).estimates if level < built.values else 0
            truth = sign * ((np.arange(built.values) == level) - 1 / size)
            assert level >= built.values or np.abs(estimates - truth).max() < 1e-9 * built.highest
        return
    estimates = (_support_counts(built, expected) - built.q) / (built.p - built.q)
    assert np.abs(estimates - np.eye(built.values)).max() < 1e-9 * built.highest


@small_cases
def test_its_variance_is_what_it_promises_by_exact_expectation(case: Case) -> None:
    built = case.build()
    if isinstance(built, Grid):
        second = built.probabilities @ built.values**2 - built.points**2
        assert np.allclose(second, built.point_noise)
        between = np.linspace(-1, 1, 4001)
        assert built.noise_at(between).max() <= built.worst_variance * (1 + 1e-9)
        return
    if isinstance(built, SignedLinear):
        likely, unlikely = np.array(built.table.counts) / TOTAL
        assert built.scale * (likely - unlikely) == pytest.approx(1)
        assert built.zero_variance == pytest.approx(
            (built.scale * (1 - 0.5 ** (built.code.digits - 1))) ** 2
        )
        return
    own, *others = _support_counts(built, _expected_cells(built))[:, 0]
    assert own == pytest.approx(built.p, abs=1e-12)
    assert np.allclose(others, built.q, atol=1e-12)


@small_cases
def test_its_estimates_of_simulated_reports_lie_within_five_standard_errors(case: Case) -> None:
    """False alarms: at most 2 sides x 64 values x 5.7e-7 / 2 a case, under 1% over all cases."""
    built = case.build()
    rng = np.random.default_rng(hash_of(case))
    n = 200_000
    if isinstance(built, Grid):
        t = rng.beta(2, 5, n) * 2 - 1
        estimates, variance = _estimated(built, _grid_cells(built, t, rng))
        truth = np.array([t.mean()])
    elif isinstance(built, SignedLinear):
        size = built.code.rows + 1
        levels = np.minimum(rng.geometric(0.3, n) - 1, built.values - 1)
        negative = rng.random(n) < 0.3 + 0.4 * (levels % 2)
        moments = built.moments(_linear_cells(built, levels + size * negative, rng))
        estimates, variance = moments.estimates, moments.total / n
        sums = np.bincount(levels, 1 - 2.0 * negative, minlength=built.values)
        truth = (sums - sums.sum() / size) / n
    else:
        values = np.minimum(rng.geometric(0.3, n) - 1, built.values - 1)
        estimates, variance = _estimated(built, _linear_cells(built, values, rng))
        truth = np.bincount(values, minlength=built.values) / n
    errors = np.abs(estimates - truth) / np.sqrt(variance)
    assert errors.max() < 5


def _estimated(built: Grid | Linear, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return estimates and their variance, where every device answered."""
    n = int(cells.sum())
    sampling = sampling_of(built, cells, Sample(n, n))
    return sampling.estimates, sampling.variance


def hash_of(case: Case) -> int:
    return sum(ord(letter) * 31**place for place, letter in enumerate(str(case))) % 2**32


def _expected_cells(built: Linear | SignedLinear) -> np.ndarray:
    """expected[value][row, symbol]: the chance of each cell for a device with that value."""
    table = built.table
    if isinstance(table, DenseTable):
        matrix = np.array(table.counts) / TOTAL
    else:
        row = np.array(table.counts) / TOTAL
        matrix = np.stack([np.roll(row, index) for index in range(table.inputs)])
    if built.memo is not None:
        matrix = built.memo.sent(matrix)
    return matrix[_indices(built)] / built.code.rows


def _indices(built: Linear | SignedLinear) -> np.ndarray:
    """indices[value, row]: where the code finds each of its inputs in the table."""
    code = built.code
    return _indices_of(code.base, code.digits, tuple(code.multipliers), code.signed, _inputs(built))


@cache
def _indices_of(
    base: int, digits: int, multipliers: tuple[int, ...], signed: bool, inputs: int
) -> np.ndarray:
    """Many cases have the same code, and its definition is slow."""
    code = LinearCode(inputs, base, digits, list(multipliers), signed)
    return np.array([[code.index(v, row) for row in range(code.rows)] for v in range(inputs)])


def _inputs(built: Linear | SignedLinear) -> int:
    """The numbers that the code takes: the values, or levels with either sign."""
    return built.values + (built.code.rows + 1 if isinstance(built, SignedLinear) else 0)


def _support_counts(built: Linear, cells: np.ndarray) -> np.ndarray:
    """The definition that the fast transforms must reproduce: sum the cells that speak for v."""
    return np.tensordot(cells, built.support[_indices(built)], axes=((-2, -1), (-2, -1)))


@pytest.mark.parametrize("case", [c for c in SMALL_CASES if c.kind is Linear], ids=str)
def test_the_fast_transform_counts_what_the_definition_counts(case: Case) -> None:
    built = case.build()
    assert isinstance(built, Linear)
    rng = np.random.default_rng(1)
    cells = rng.integers(0, 10**6, (built.code.rows, built.table.symbols))
    assert np.array_equal(built.support_counts(cells), _support_counts(built, cells))


def _grid_cells(built: Grid, t: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    position = (t + 1) / 2 * (built.code.points - 1)
    left = np.minimum(position.astype(int), built.code.points - 2)
    index = left + (rng.random(len(t)) < position - left)
    counts = np.bincount(index, minlength=built.code.points)
    return sum(
        rng.multinomial(count, built.probabilities[point]) for point, count in enumerate(counts)
    )[None, :]


def _linear_cells(
    built: Linear | SignedLinear, values: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    expected = _expected_cells(built)
    cells = np.zeros_like(expected[0], dtype=np.int64)
    for value, count in enumerate(np.bincount(values, minlength=_inputs(built))):
        chances = expected[value].reshape(-1)
        cells += rng.multinomial(count, chances / chances.sum()).reshape(cells.shape)
    return cells


def test_the_grid_code_and_the_two_point_table_are_the_papers_algorithm_3() -> None:
    """P[u = 1] = (t (e^eps - 1) + e^eps + 1) / (2 e^eps + 2), linear in t."""
    epsilon = 1.0
    built = Grid.design(Fraction(epsilon), "harmony")
    assert isinstance(built.code, GridCode)
    assert built.code.points == 2
    e = np.exp(epsilon)
    for t in np.linspace(-1, 1, 11):
        blend = (1 - t) / 2 * built.probabilities[0, 1] + (1 + t) / 2 * built.probabilities[1, 1]
        assert blend == pytest.approx((t * (e - 1) + e + 1) / (2 * e + 2), abs=1e-12)
    assert built.highest == pytest.approx((e + 1) / (e - 1), abs=1e-12)
