"""What mechanisms read off counts, against the same figures worked out report by report."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import harmony as hm
from harmony.attributes import Signed
from harmony.mechanisms import Grid, Linear, SignedLinear
from harmony.mechanisms.decoded import Decoded
from harmony_device.tables import TOTAL

LINEAR = [Linear.design(Fraction(epsilon), k) for epsilon in (1, 4) for k in (2, 3, 6, 16, 30)]
LINEAR.append(Linear.design(Fraction(1), 13, "harmony"))


def decoded(linear: Linear) -> np.ndarray:
    """decoded[row, symbol, value]: what one report says about each value."""
    rows = [
        [linear.support[linear.code.index(value, row)] for value in range(linear.values)]
        for row in range(linear.code.rows)
    ]
    return (np.array(rows).transpose(0, 2, 1) - linear.q) / (linear.p - linear.q)


def some_cells(linear: Linear, seed: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 50, (linear.code.rows, linear.table.symbols))


@pytest.mark.parametrize("linear", LINEAR)
def test_a_frequency_is_the_mean_of_what_the_reports_decode_to(linear: Linear) -> None:
    cells = some_cells(linear)
    moments = linear.moments(cells)
    mean = (decoded(linear) * cells[:, :, None]).sum(axis=(0, 1)) / cells.sum()
    assert moments.n == cells.sum()
    assert np.allclose(moments.estimates, mean, rtol=1e-9)


def shares_of(linear: Linear, seed: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(linear.values))


def chances(linear: Linear) -> np.ndarray:
    """chances[value, row, symbol]: how likely a device with that value ends in each cell."""
    table = np.array(linear.table.counts, np.float64) / TOTAL
    if table.ndim == 1:
        table = np.stack([np.roll(table, index) for index in range(linear.code.base)])
    rows = range(linear.code.rows)
    return np.array(
        [
            [table[linear.code.index(value, row)] / linear.code.rows for row in rows]
            for value in range(linear.values)
        ]
    )


@pytest.mark.parametrize("linear", LINEAR)
def test_the_noise_covariance_is_that_of_reports_from_devices_of_each_value(
    linear: Linear,
) -> None:
    shares, reports = shares_of(linear), decoded(linear)
    expected = np.zeros((linear.values, linear.values))
    for value, share in enumerate(shares):
        cells = chances(linear)[value]
        mean = np.einsum("rs,rsv->v", cells, reports)
        both = np.einsum("rs,rsv,rsw->vw", cells, reports, reports)
        expected += share * (both - np.outer(mean, mean))
    assert np.allclose(linear.noise_covariance(shares), expected, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("linear", LINEAR)
def test_a_weighted_sum_of_frequencies_has_the_cumulants_of_its_decoded_reports(
    linear: Linear,
) -> None:
    """Worked out cell by cell, for the devices of each value."""
    weights = np.random.default_rng(9).normal(size=linear.values)
    kinds = linear.decoded_sum(weights)
    said = decoded(linear) @ weights
    for value in range(linear.values):
        cells = chances(linear)[value]
        mean = (cells * said).sum()
        about = [(cells * (said - mean) ** power).sum() for power in (2, 3, 4)]
        assert kinds.mean[value] == pytest.approx(weights[value], abs=1e-9)
        assert kinds.mean[value] == pytest.approx(mean, abs=1e-9)
        assert kinds.variance[value] == pytest.approx(about[0], rel=1e-8)
        assert kinds.third[value] == pytest.approx(about[1], rel=1e-6, abs=1e-7)
        fourth = about[2] - 3 * about[0] ** 2
        assert kinds.fourth[value] == pytest.approx(fourth, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("linear", LINEAR)
def test_one_frequency_is_a_weighted_sum_with_one_weight(linear: Linear) -> None:
    """The devices that have the value are one kind, all others another."""
    kinds = linear.decoded_sum(np.eye(linear.values)[0])
    pair = Decoded.of_support([linear.q, linear.p], linear.p, linear.q)
    for name in ("mean", "variance", "third", "fourth"):
        other, own = getattr(pair, name)
        assert getattr(kinds, name)[0] == pytest.approx(own, rel=1e-7, abs=1e-9)
        assert getattr(kinds, name)[1:] == pytest.approx(other, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("linear", LINEAR)
def test_no_report_decodes_to_more_or_less_than_stated(linear: Linear) -> None:
    reports = decoded(linear)
    assert linear.highest == pytest.approx(reports.max(), rel=1e-9)
    assert linear.lowest == pytest.approx(reports.min(), rel=1e-9)
    assert linear.lowest < 0 < 1 < linear.highest


@pytest.mark.parametrize("linear", LINEAR)
@pytest.mark.parametrize("frequency", [0.0, 0.3, 1.0])
def test_the_noise_is_the_variance_of_a_decoded_report_of_each_kind_of_device(
    linear: Linear, frequency: float
) -> None:
    """A report speaks for a value with chance p from those who have it, and q from the others."""
    noise = 0.0
    for share, chance in ((frequency, linear.p), (1 - frequency, linear.q)):
        low, high = -linear.q / (linear.p - linear.q), (1 - linear.q) / (linear.p - linear.q)
        mean = chance * high + (1 - chance) * low
        noise += share * (chance * (high - mean) ** 2 + (1 - chance) * (low - mean) ** 2)
    assert linear.noise_at(np.array(frequency)) == pytest.approx(noise, rel=1e-9)


@pytest.mark.parametrize("linear", LINEAR)
def test_what_is_promised_is_for_values_that_are_equally_frequent(linear: Linear) -> None:
    k = linear.values
    assert linear.reference_noise == pytest.approx(float(linear.noise_at(np.array(1 / k))))
    assert linear.reference_variance == pytest.approx(np.var([1.0] + [0.0] * (k - 1)))
    assert linear.zero_variance == pytest.approx(float(linear.noise_at(np.array(0.0))))


@pytest.mark.parametrize("linear", LINEAR)
def test_the_variance_of_a_report_is_that_with_two_more_of_each_kind(linear: Linear) -> None:
    cells = some_cells(linear) // 10
    n = int(cells.sum())
    moments = linear.moments(cells)
    smooth = np.clip((moments.estimates * n + 2) / (n + 4), 0, 1)
    assert np.allclose(moments.total, linear.noise_at(smooth) + smooth * (1 - smooth), rtol=1e-9)


def test_without_reports_nothing_is_known() -> None:
    linear, grid = Linear.design(Fraction(1), 3), Grid.design(Fraction(1))
    signed = SignedLinear.design(Fraction(1), 3)
    for mechanism, size in ((linear, 3), (grid, 1), (signed, 3)):
        cells = np.zeros((mechanism.code.rows, mechanism.table.symbols), np.int64)
        moments = mechanism.moments(cells)
        assert (moments.n, moments.estimates.shape) == (0, (size,))
        assert moments.total.shape == (size,)
        assert not np.isfinite(moments.total).any()
        if mechanism is not signed:
            assert np.isnan(moments.estimates).all()


def test_a_large_index_table_is_not_kept() -> None:
    assert Linear.design(Fraction(1), 3000, "harmony").indices is None
    small = Linear.design(Fraction(1), 16)
    assert small.indices is not None
    assert small.indices.shape == (small.code.rows, 16)


@pytest.mark.parametrize("epsilon", [0.2, 1, 4, 6])
@pytest.mark.parametrize("mechanism", ["auto", "harmony"])
def test_the_noise_of_a_mean_is_never_understated_and_hardly_overstated(
    epsilon: float, mechanism: str
) -> None:
    """Devices that all sit on one grid point send its row of the table, in exact proportion."""
    grid = Grid.design(Fraction(epsilon), mechanism)
    missed = np.abs(grid.point_noise - grid.probabilities @ grid._noise_weights[0]).max()
    n = 10**12
    for place, point in enumerate(grid.points):
        cells = np.rint(grid.probabilities[place] * n).astype(np.int64)[None, :]
        moments, noise = grid.moments(cells), grid.noise_of(cells)
        true = float(grid.probabilities[place] @ (grid.values - point) ** 2)
        assert moments.estimates[0] == pytest.approx(point, abs=1e-4)
        assert noise >= true * (1 - 1e-5)
        assert noise <= max(true + 2 * missed, grid.point_noise.min()) + 1e-6
        assert moments.total[0] == pytest.approx(max(true, grid.point_noise.min()), rel=1e-5)


@pytest.mark.parametrize("epsilon", [1, 4, 6])
def test_the_noise_of_a_mean_does_not_grow_with_the_spread_of_the_values(epsilon: int) -> None:
    """Half of the devices sit at each end, so that what is observed is far more than noise."""
    grid = Grid.design(Fraction(epsilon))
    n = 10**12
    ends = (grid.probabilities[0] + grid.probabilities[-1]) / 2
    cells = np.rint(ends * n).astype(np.int64)[None, :]
    noise = (grid.point_noise[0] + grid.point_noise[-1]) / 2
    missed = np.abs(grid.point_noise - grid.probabilities @ grid._noise_weights[0]).max()
    assert grid.moments(cells).total[0] == pytest.approx(noise + 1, rel=1e-6)
    assert noise - 1e-6 <= grid.noise_of(cells) <= noise + 2 * missed + 1e-6


@pytest.mark.parametrize("mechanism", ["auto", "harmony"])
def test_what_a_mean_decodes_to_at_each_grid_point_is_read_off_the_table(mechanism: str) -> None:
    grid = Grid.design(Fraction(4), mechanism)
    for place, point in enumerate(grid.points):
        about = [grid.probabilities[place] @ (grid.values - point) ** power for power in (2, 3, 4)]
        assert grid.decoded.mean[place] == pytest.approx(point, abs=1e-9)
        assert grid.decoded.variance[place] == pytest.approx(about[0], rel=1e-8)
        assert grid.decoded.third[place] == pytest.approx(about[1], rel=1e-6, abs=1e-9)
        fourth = about[2] - 3 * about[0] ** 2
        assert grid.decoded.fourth[place] == pytest.approx(fourth, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("mechanism", ["auto", "harmony"])
def test_the_variance_of_a_mean_is_that_of_the_decoded_reports(mechanism: str) -> None:
    grid = Grid.design(Fraction(1), mechanism)
    rng = np.random.default_rng(5)
    cells = rng.integers(20, 40, (1, grid.table.symbols))
    moments = grid.moments(cells)
    reports = np.repeat(grid.values, cells[0])
    assert moments.estimates[0] == pytest.approx(reports.mean(), rel=1e-9)
    assert moments.total[0] == pytest.approx(reports.var(ddof=1), rel=1e-9)


def test_one_report_has_at_least_the_least_noise() -> None:
    grid = Grid.design(Fraction(1))
    cells = np.zeros((1, grid.table.symbols), np.int64)
    cells[0, 0] = 1
    moments = grid.moments(cells)
    assert moments.estimates[0] == grid.values[0]
    assert moments.total[0] == grid.point_noise.min()


@pytest.mark.parametrize("epsilon", [1, 4, 6])
def test_the_worst_variance_is_the_largest_anywhere(epsilon: int) -> None:
    grid = Grid.design(Fraction(epsilon))
    fine = grid.noise_at(np.linspace(-1, 1, 200_001)).max()
    assert grid.worst_variance == pytest.approx(fine, rel=1e-6)
    assert grid.worst_variance >= fine * (1 - 1e-12)
    assert grid.reference_noise == grid.worst_variance
    assert grid.reference_variance == pytest.approx(np.var(np.linspace(-1, 1, 100_001)), rel=1e-4)


def test_what_a_mechanism_promises_is_noise_and_the_part_of_the_spread_that_is_not_asked() -> None:
    grid = Grid.design(Fraction(1), "harmony")
    assert grid.expected_variance() == grid.reference_noise + 1 / 3
    assert grid.expected_variance(0.25) == grid.reference_noise + 0.75 / 3
    assert grid.expected_error(100, 0.25) == pytest.approx(
        np.sqrt((grid.reference_noise + 0.25) / 100)
    )


def test_a_row_that_nobody_was_asked_adds_nothing_to_a_signed_estimate() -> None:
    signed = SignedLinear.design(Fraction(1), 3)
    cells = np.array([[8, 2], [0, 0], [3, 3]])
    moments = signed.moments(cells)
    hadamard = np.array([[1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])  # of the levels
    expected = signed.scale * 0.6 * hadamard[0] / 4
    assert moments.n == 16
    assert np.allclose(moments.estimates, expected[:3])
    assert np.allclose(moments.total, signed.zero_variance)
    assert signed.highest == pytest.approx(signed.scale * 3 / 4)
    assert signed.lowest == -signed.highest
    assert signed.reference_noise == signed.zero_variance == pytest.approx(signed.highest**2)
    assert signed.reference_variance == 0.0


def test_a_signed_attribute_has_no_estimate_of_its_own() -> None:
    survey = hm.Survey("s", [Signed("colour", ["red", "green"])], 1.0)
    with pytest.raises(hm.HarmonyError, match="colour: a signed attribute is part of a gradient"):
        survey.estimate(hm.Tally.empty(survey, hm.Round.open("1")))
