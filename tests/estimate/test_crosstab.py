"""Crosstabs: joined with what else is known, and a test that is as honest as its p-value.

Under no association, 200 p-values have between 2 and 20 below 0.05 in all but 0.4 of 1,000 such
checks.  Of 960 cells, at least 885 lie in their 95% intervals in all but 1 of 1,000, if they were
independent.
"""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import harmony as hm
from harmony.estimate.consistency import project_to_margins
from harmony.estimate.crosstab import CrosstabEstimate

A, B = hm.Integer("a", 0, 2), hm.Integer("b", 0, 3)


def draw(rng: np.random.Generator, devices: int, together: float) -> dict[str, np.ndarray]:
    a = rng.choice(3, devices, p=[0.5, 0.3, 0.2])
    b = np.where(rng.random(devices) < together, a, rng.choice(4, devices, p=[0.4, 0.3, 0.2, 0.1]))
    return {"a": a, "b": b}


def table_of(people: dict[str, np.ndarray]) -> np.ndarray:
    return np.bincount(people["a"] * 4 + people["b"], minlength=12) / len(people["a"])


@pytest.mark.parametrize(("epsilon", "devices"), [(0.1, 1_000), (1.0, 6_000), (6.0, 1_500)])
def test_p_values_are_honest(epsilon: float, devices: int) -> None:
    survey = hm.Survey("s", [A, B], epsilon, crosstabs="all")
    rng = np.random.default_rng(4)
    chances = [
        survey.estimate(survey.collect(draw(rng, devices, 0.0), seed=seed))
        .crosstab("a x b")
        .association.p_value
        for seed in range(200)
    ]
    assert 2 <= sum(chance < 0.05 for chance in chances) <= 20
    assert 0.4 < np.mean(chances) < 0.6


def test_p_values_are_honest_where_nearly_all_have_the_same() -> None:
    """Of 300, more than 27 are below 0.05 in one of 700 such checks; there were 41."""
    survey = hm.Survey("s", [hm.Crosstab(A, B)], 0.5)
    people = {"a": np.zeros(200, np.int64), "b": np.full(200, 3)}
    chances = [
        survey.estimate(survey.collect(people, seed=seed)).crosstab("a x b").association.p_value
        for seed in range(300)
    ]
    assert sum(chance < 0.05 for chance in chances) <= 27


def test_what_goes_together_is_found() -> None:
    survey = hm.Survey("s", [A, B], 2.0, crosstabs="all")
    people = draw(np.random.default_rng(5), 60_000, 0.2)
    assert (
        survey.estimate(survey.collect(people, seed=1)).crosstab("a x b").association.p_value < 1e-6
    )


def test_intervals_of_cells_and_of_shares_hold() -> None:
    survey = hm.Survey("s", [A, B], 2.0, crosstabs="all")
    people = draw(np.random.default_rng(6), 8_000, 0.3)
    truth = table_of(people)
    square = truth.reshape(3, 4)
    by_row = (square / square.sum(axis=1, keepdims=True)).ravel()
    by_column = (square / square.sum(axis=0, keepdims=True)).ravel()
    held, all_at_once = np.zeros(3), 0
    for seed in range(80):
        one = survey.estimate(survey.collect(people, seed=seed)).crosstab("a x b")
        low, high = np.array(list(one.interval().values())).T
        held[0] += ((low <= truth) & (truth <= high)).sum()
        low, high = np.array(list(one.interval(simultaneous=True).values())).T
        all_at_once += bool(np.all((low <= truth) & (truth <= high)))
        for place, (shares, truths) in enumerate(
            ((one.row_shares(), by_row), (one.column_shares(), by_column)), start=1
        ):
            _, low, high = np.array(list(shares.values())).T
            held[place] += ((low <= truths) & (truths <= high)).sum()
    assert held.min() >= 885, held
    assert all_at_once >= 69  # of 80; at 95%, fewer in 0.2 of 1,000 checks


def test_intervals_of_rare_pairs_hold_where_little_is_randomised() -> None:
    """Joining spreads the errors of frequent pairs over rare ones, and intervals allow for that.

    Of 100 rounds at 95%, 14 or more would miss in 0.05 of 100 such checks.
    """
    survey = hm.Survey("s", [A, B, hm.Crosstab("a", "b")], 7.0, answers=1)
    rng, together, alone = np.random.default_rng(8), 0, 0
    for seed in range(100):
        people = {
            name: rng.choice(len(falling), 1_000, p=falling / falling.sum())
            for name, falling in (("a", 0.2 ** np.arange(3)), ("b", 0.2 ** np.arange(4)))
        }
        result = survey.estimate(survey.collect(people, seed=seed))
        for found, truth in (
            (result.crosstab("a x b"), table_of(people)),
            (result.histogram("a"), np.bincount(people["a"], minlength=3) / 1_000),
        ):
            low, high = np.array(list(found.interval(simultaneous=True).values())).T
            held = bool(np.all((low <= truth) & (truth <= high)))
            together += held and len(truth) > 3
            alone += held and len(truth) == 3
    assert min(together, alone) >= 87, (together, alone)


def test_joining_is_least_squares() -> None:
    """Against the normal equations of all four attributes at once."""
    c = hm.Boolean("c")
    survey = hm.Survey("s", [A, B, hm.Crosstab("a", "b"), hm.Crosstab(A, c)], 1.0)
    rng = np.random.default_rng(7)
    people = draw(rng, 30_000, 0.3) | {"c": rng.random(30_000) < 0.4}
    one = survey.estimate(survey.collect(people, seed=3)).crosstab("a x b")
    joint = one.joint
    # The unknown: the tables of a and b, and of a and c, which agree on a and add up to one.
    rows_ab, columns_ab = np.kron(np.eye(3), np.ones(4)), np.kron(np.ones(3), np.eye(4))
    rows_ac = np.kron(np.eye(3), np.ones(2))
    none = np.zeros
    pieces = [
        (np.hstack([np.eye(12), none((12, 6))]), joint.source),
        (np.hstack([rows_ab, none((3, 6))]), joint.rows[0].source),
        (np.hstack([none((6, 12)), np.eye(6)]), joint.rows[1].source),
        (np.hstack([columns_ab, none((4, 6))]), joint.columns[0].source),
    ]
    agree = np.vstack([np.hstack([rows_ab, -rows_ac]), np.hstack([np.ones(12), none(6)])])
    right = np.array([0, 0, 0, 1.0])
    normal = sum(rows.T @ rows / source.variance for rows, source in pieces)
    said = sum(rows.T @ source.frequencies / source.variance for rows, source in pieces)
    whole = np.block([[normal, agree.T], [agree, none((4, 4))]])
    solved = np.linalg.lstsq(whole, np.concatenate([said, right]), rcond=None)[0][:12]
    assert one.raw == pytest.approx(solved, abs=1e-9)


def test_tables_agree_on_what_they_share() -> None:
    survey = hm.Survey("s", [A, B, hm.Boolean("c")], 1.0, crosstabs="all")
    rng = np.random.default_rng(8)
    people = draw(rng, 20_000, 0.3) | {"c": rng.random(20_000) < 0.4}
    result = survey.estimate(survey.collect(people, seed=2))
    of_b = result.crosstab("a x b").projected.reshape(3, 4)
    of_c = result.crosstab("a x c").projected.reshape(3, 2)
    assert min(of_b.min(), of_c.min()) >= 0
    assert of_b.sum(axis=1) == pytest.approx(of_c.sum(axis=1), abs=1e-6)
    assert result.histogram("a").raw == pytest.approx(of_b.sum(axis=1), abs=1e-6)


def test_tables_with_known_margins_are_weighted_least_squares() -> None:
    rng = np.random.default_rng(11)
    table, variances = rng.uniform(0.5, 1.5, (2, 3, 4))
    table /= table.sum()
    rows, columns = rng.dirichlet([50] * 3), rng.dirichlet([50] * 4)
    sums = np.vstack([np.kron(np.eye(3), np.ones(4)), np.kron(np.ones(3), np.eye(4))])
    missing = np.concatenate([rows, columns]) - sums @ table.ravel()
    spread = variances.ravel()[:, None] * sums.T
    moved = table.ravel() + spread @ np.linalg.lstsq(sums @ spread, missing, rcond=None)[0]
    assert moved.min() > 0
    found = project_to_margins(table, rows, columns, variances)
    assert found.ravel() == pytest.approx(moved, abs=1e-7)


def test_rare_pairs_stay_rare_where_little_is_randomised() -> None:
    """Total variation is about 0.7 of the joined table's, give or take 0.03."""
    survey = hm.Survey("s", [A, B, hm.Boolean("c")], 8.0, crosstabs="all")
    rng = np.random.default_rng(12)
    a = rng.choice(3, 20_000, p=[0.9, 0.08, 0.02])
    people = {"a": a, "b": np.where(rng.random(20_000) < 0.9, a, 3), "c": a > 0}
    truth, off = table_of(people), np.zeros(2)
    for seed in range(20):
        one = survey.estimate(survey.collect(people, seed=seed)).crosstab("a x b")
        off += [np.abs(found - truth).sum() for found in (one.projected, one.raw)]
    assert off[0] < 0.9 * off[1]


@pytest.mark.parametrize(("together", "at_most"), [(0.0, 0.88), (0.3, 1.03)])
def test_how_values_go_together_is_kept_as_far_as_it_exceeds_noise(
    together: float, at_most: float
) -> None:
    """Total variation is about 0.8 and 0.99 of the joined table's, give or take 0.015."""
    survey = hm.Survey("s", [hm.Crosstab(A, B)], 1.0)
    people = draw(np.random.default_rng(13), 20_000, together)
    truth, off = table_of(people), np.zeros(2)
    for seed in range(40):
        one = survey.estimate(survey.collect(people, seed=seed)).crosstab("a x b")
        off += [np.abs(found - truth).sum() for found in (one.projected, one.raw)]
    assert off[0] < at_most * off[1], off


@pytest.mark.parametrize("epsilon", [1.0, 6.0])
def test_means_by_group(epsilon: float) -> None:
    survey = hm.Survey("s", [A, hm.Numeric("x", 0, 10), hm.Crosstab("a", "x")], epsilon)
    rng = np.random.default_rng(9)
    a = draw(rng, 20_000, 0)["a"]
    x = np.clip(2 + 3 * a + rng.normal(size=len(a)), 0, 10)
    truths = [x[a == group].mean() for group in range(3)]
    held = 0
    for seed in range(40):
        one = survey.estimate(survey.collect({"a": a, "x": x}, seed=seed)).crosstab("a x x")
        held += sum(
            low <= truth <= high
            for (_, low, high), truth in zip(one.means().values(), truths, strict=True)
        )
    assert held >= 105  # of 120; at 95%, fewer in 0.2 of 1,000 checks
    assert [row["value"] for row in one.rows()] == [f"mean for {group}" for group in range(3)]
    assert one.association.p_value < 1e-6


def test_nobody_answered() -> None:
    survey = hm.Survey("s", [A, B], 1.0, crosstabs="all")
    one = survey.estimate(hm.Tally.empty(survey, hm.Round.open("r"))).crosstab("a x b")
    assert one.verdict == "too few reports to say"
    assert math.isnan(one.association.p_value)
    assert all(math.isnan(low) for _, low, _ in one.row_shares().values())
    assert len(one.rows()) == 12


def test_large_tables_have_cells_but_no_test() -> None:
    survey = hm.Survey("s", [hm.Crosstab(hm.Integer("p", 0, 39), hm.Integer("q", 0, 39))], 4.0)
    rng = np.random.default_rng(10)
    people = {"p": rng.integers(0, 40, 20_000), "q": rng.integers(0, 40, 20_000)}
    one = survey.estimate(survey.collect(people, seed=1)).crosstab("p x q")
    assert len(one.rows()) == 1600
    with pytest.raises(hm.HarmonyError, match="at most 1,024 pairs"):
        _ = one.association
    with pytest.raises(hm.HarmonyError, match="at most 1,024 pairs"):
        one.row_shares()


def test_results_pass_crosstabs_on() -> None:
    survey = hm.Survey("s", [A, B], 2.0, crosstabs="all")
    people = draw(np.random.default_rng(11), 20_000, 0.5)
    result = survey.estimate(survey.collect(people, seed=1))
    (passed,) = json.loads(result.to_json())["crosstabs"]
    assert passed["rows"] == {"attribute": "a", "values": [0, 1, 2]}
    assert np.sum(passed["table"]) == pytest.approx(1)
    assert passed["p_value"] < 0.01
    assert "0 x 3" in result.to_csv()
    with pytest.raises(hm.HarmonyError, match="means by group need a number"):
        result.crosstab("a x b").means()
    assert isinstance(result["a x b"], CrosstabEstimate)


def test_pairs_that_nobody_has_are_in_their_intervals_of_few_reports() -> None:
    """Of 150 rounds at 95%, 21 or more would miss in 1 of 100,000 such checks.

    Errors of frequent pairs spill over on those that nobody has, so these can be estimated below
    what a count of none by itself would be.
    """
    survey = hm.Survey(
        "s", [hm.Integer("a", 0, 4), hm.Integer("b", 0, 3), hm.Crosstab("a", "b")], 8.0
    )
    held = {"a": 0, "a x b": 0}
    for seed in range(150):
        result = survey.estimate(survey.collect({"a": [0] * 60, "b": [0] * 60}, seed=seed))
        for name, pair in (("a", 0), ("a x b", (0, 0))):
            limits = result[name].interval(0.95, simultaneous=True)
            held[name] += all(
                low <= (value == pair) <= high for value, (low, high) in limits.items()
            )
    assert min(held.values()) >= 130, held
