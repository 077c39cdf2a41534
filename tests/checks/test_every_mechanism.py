"""Properties that every mechanism must have: exact epsilon, unbiased, variance as promised."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from harmony.attributes import Categorical, Numeric, Signed
from harmony.document import _read_mechanism
from harmony.estimate.combine import sampling_of
from harmony.estimate.sampling import Sample
from harmony.mechanisms import Grid, Linear, SignedLinear
from harmony.mechanisms.audit import log_ceiling
from harmony_device.codes import GridCode
from harmony_device.errors import RefusedError
from harmony_device.tables import (
    TOTAL,
    CirculantTable,
    DenseTable,
    check_table,
    table_from_document,
)

from .cases import CASES, SMALL_CASES, Case

every_case = pytest.mark.parametrize("case", CASES, ids=str)
small_cases = pytest.mark.parametrize("case", SMALL_CASES, ids=str)


@every_case
def test_its_table_keeps_epsilon_exactly_and_wastes_almost_none(case: Case) -> None:
    table = case.build().table
    check_table(table, Fraction(case.epsilon))
    realised = log_ceiling(table.worst_ratio())
    assert case.epsilon * (1 - 1e-5) <= realised <= case.epsilon


@every_case
def test_its_rows_sum_to_the_total(case: Case) -> None:
    table = case.build().table
    rows = table.counts if isinstance(table, DenseTable) else [table.counts]
    assert all(sum(row) == TOTAL for row in rows)


@every_case
def test_moving_one_count_too_many_is_refused(case: Case) -> None:
    """Take the worst symbol's smallest count down until the bound breaks: it must be seen."""
    table = case.build().table
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
        check_table(table_from_document(document), Fraction(case.epsilon))


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
    read = _read_mechanism(
        document, attribute, [table_from_document(built.table.to_document())], built.epsilon
    )
    assert read.to_document() == built.to_document()
    assert read.table.counts == built.table.counts


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
    for value in range(built.values):
        estimates = (_support_counts(built, expected[value]) - built.q) / (built.p - built.q)
        truth = np.eye(built.values)[value]
        assert np.abs(estimates - truth).max() < 1e-9 * built.highest


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
    cells = _expected_cells(built)
    own = _support_counts(built, cells[0])[0]
    assert own == pytest.approx(built.p, abs=1e-12)
    others = [_support_counts(built, cells[value])[0] for value in range(1, built.values)]
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
    indices = np.array(
        [[built.code.index(v, r) for r in range(built.code.rows)] for v in range(_inputs(built))]
    )
    return matrix[indices] / built.code.rows


def _inputs(built: Linear | SignedLinear) -> int:
    """The numbers that the code takes: the values, or levels with either sign."""
    return built.values + (built.code.rows + 1 if isinstance(built, SignedLinear) else 0)


def _support_counts(built: Linear, cells: np.ndarray) -> np.ndarray:
    """The definition that the fast transforms must reproduce: sum the cells that speak for v."""
    rows = np.arange(built.code.rows)
    return np.array(
        [
            (cells * built.support[[built.code.index(value, row) for row in rows]]).sum()
            for value in range(built.values)
        ]
    )


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
