"""How often attributes are asked, how many a report answers, and what a document may say."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import harmony as hm
from harmony.attributes import Attribute, Signed
from harmony.mechanisms import Grid, Linear, SignedLinear
from harmony.mechanisms.choose import choose_answers, choose_points, design_mechanism
from harmony.mechanisms.coins import coin_weights
from harmony.mechanisms.hierarchy import level_shares
from harmony.mechanisms.inclusion import inclusion_chances
from harmony.mechanisms.rounding import window_counts
from harmony_device.tables import TOTAL

MIXED: list[Attribute] = [
    hm.Integer("j", 0, 8), hm.Boolean("b"), hm.Integer("k", 0, 15), hm.Boolean("c"),
    hm.Integer("l", 0, 4), hm.Boolean("d"),
]  # fmt: skip


def test_each_kind_of_attribute_has_its_mechanism() -> None:
    for attribute, kind in (
        (hm.Numeric("x", 0, 1), Grid),
        (hm.Numeric("x", 0, 1, bins=4), Linear),
        (hm.Boolean("b"), Linear),
        (Signed("s", ["a", "b"]), SignedLinear),
    ):
        built = design_mechanism(attribute, Fraction(1), "auto")
        assert type(built) is kind
        assert built.epsilon == 1
    assert design_mechanism(hm.Boolean("b"), Fraction(1), "harmony").code.base == 2


def spread(attributes: list[Attribute], tiers: list[Fraction], answers: int) -> float:
    """The mean logarithm of the variance of an estimate, up to the number of devices."""
    share = answers / len(attributes)
    return float(
        np.mean(
            [
                math.log(
                    design_mechanism(one, tier / answers, "auto").expected_variance(share) / share
                )
                for one in attributes
                for tier in tiers
            ]
        )
    )


@pytest.mark.parametrize("tiers", [[2], [4], [8], [12], [2, 8], [3, 3.5]])
def test_as_many_answers_are_chosen_as_give_the_least_variance(tiers: list[float]) -> None:
    epsilons = [Fraction(one) for one in tiers]
    allowed = [m for m in range(1, len(MIXED) + 1) if m == 1 or min(epsilons) / m >= 1]
    best = min(allowed, key=lambda answers: spread(MIXED, epsilons, answers))
    assert choose_answers(MIXED, epsilons, "auto") == best


def test_epsilon_is_not_split_below_one_and_never_by_the_papers_method() -> None:
    booleans = [hm.Boolean(f"b{place}") for place in range(8)]
    assert choose_answers(booleans, [Fraction("1.99")], "auto") == 1
    assert choose_answers(booleans, [Fraction(1, 2), Fraction(9)], "auto") == 1
    assert choose_answers(booleans, [Fraction(8)], "harmony") == 1
    assert choose_answers(booleans[:1], [Fraction(8)], "auto") == 1


def chances_by_every_order(weights: list[int], answers: int) -> list[float]:
    """Go through all orders in which a coin can draw so many attributes."""
    chances = [0.0] * len(weights)
    for order in permutations(range(len(weights)), answers):
        chance, left = 1.0, sum(weights)
        for place in order:
            chance *= weights[place] / left
            left -= weights[place]
        for place in order:
            chances[place] += chance
    return chances


@pytest.mark.parametrize(
    ("weights", "answers", "shares"),
    [
        ([1], 1, [1.0]),
        ([3, 1], 1, [0.75, 0.25]),
        ([3, 1], 2, [1.0, 1.0]),
        ([2, 1, 1], 2, [5 / 6, 7 / 12, 7 / 12]),  # 1/2 + 2 * 1/4 * 2/3
        ([1] * 8, 3, [3 / 8] * 8),
        ([1, 2, 3, 4, 5], 3, None),
        ([65536, 1, 1, 300, 7], 2, None),
        ([9, 9, 2, 2, 2, 1, 40], 5, None),
    ],
)
def test_the_share_of_devices_that_an_attribute_is_asked_of(
    weights: list[int], answers: int, shares: list[float] | None
) -> None:
    by_hand = shares or chances_by_every_order(weights, answers)
    assert inclusion_chances(weights, answers) == pytest.approx(by_hand, abs=1e-10)
    assert sum(by_hand) == pytest.approx(answers)


@pytest.mark.parametrize("tiers", [[Fraction(1)], [Fraction(1, 2), Fraction(2)]])
@pytest.mark.parametrize("answers", [1, 2])
def test_coins_are_in_proportion_to_weight_and_variance(
    tiers: list[Fraction], answers: int
) -> None:
    """A coin of 64 for each attribute on average, up to rounding, and no common factor."""
    weights = [1, 2, 1, 1, 5, 1]
    plain = [hm.Numeric("x", 0, 1), *MIXED[1:]]
    asked = [replace(one, weight=weight) for one, weight in zip(plain, weights, strict=True)]
    built = [[design_mechanism(one, tier / answers, "harmony") for one in asked] for tier in tiers]
    coins = coin_weights(asked, built, answers, balance=True)
    assert coin_weights(asked, built, answers, balance=False) == weights
    share = answers / len(asked)
    wanted = []
    for place, (weight, attribute) in enumerate(zip(weights, asked, strict=True)):
        domain = 1.0 if attribute.values else 2.0
        precision = sum(domain**2 / tier[place].expected_variance(share) for tier in built)
        wanted.append(weight / precision)
    expected = np.array(wanted) / sum(wanted) * 64 * len(MIXED)
    assert math.gcd(*coins) == 1
    assert np.abs(np.array(coins) - expected).max() <= 0.5 + 1e-9


def test_coins_are_at_least_one_and_have_no_common_factor() -> None:
    boolean = Linear.design(Fraction(1), 2)
    for second, coins in ((1, [1, 1]), (3, [1, 3]), (10_000, [1, 128])):
        asked = [hm.Boolean("a"), hm.Boolean("b", weight=second)]
        assert coin_weights(asked, [[boolean, boolean]], 1, balance=True) == coins


def test_the_coins_of_a_great_many_attributes_stay_small() -> None:
    built = [Linear.design(Fraction(1), values) for values in (2, 5, 16, 3)]
    asked = [hm.Boolean(f"{place}") for place in range(4000)]
    coins = coin_weights(asked, [built * 1000], 1, balance=True)
    assert math.gcd(*coins) == 1
    assert sum(coins) == pytest.approx(1 << 16, rel=0.05)


def cdf_variance(sizes: list[int], variances: list[float], shares: list[float]) -> float:
    """By hand: the mean variance of the CDF at all leaf edges, from the whole covariance."""
    leaves = sizes[-1]
    information = np.zeros((leaves, leaves))
    for size, variance, share in zip(sizes, variances, shares, strict=True):
        bins = np.kron(np.eye(size), np.ones(leaves // size))
        information += share / variance * bins.T @ bins
    # All shares sum to 1, which is known: only what differs between bins is estimated.
    even = np.full((leaves, leaves), 1 / leaves)
    differences = np.eye(leaves) - even
    covariance = np.linalg.inv(differences @ information @ differences + even) - even
    prefixes = np.tril(np.ones((leaves, leaves)))
    return float(np.mean(np.diag(prefixes @ covariance @ prefixes.T)))


@pytest.mark.parametrize(
    ("sizes", "variances"),
    [([4, 16, 64], [2.0, 3.0, 3.6]), ([2, 16], [1.0, 9.0]), ([5, 25, 125], [4.0, 1.0, 2.0])],
)
def test_levels_are_asked_so_that_the_cdf_is_known_best(
    sizes: list[int], variances: list[float]
) -> None:
    shares, variance = level_shares(sizes, variances)
    assert sum(shares) == pytest.approx(1)
    # The closed form is an average over a continuum of prefixes, the other over the edges.
    assert cdf_variance(sizes, variances, shares) == pytest.approx(variance, rel=0.03)
    rng = np.random.default_rng(18)
    for _ in range(20):
        other = np.array(shares) * np.exp(0.2 * rng.standard_normal(len(shares)))
        assert cdf_variance(sizes, variances, list(other / other.sum())) > 0.999 * cdf_variance(
            sizes, variances, shares
        )


def test_a_distribution_is_asked_as_its_cdf_needs_and_a_pair_as_its_cells_do() -> None:
    ages = hm.Distribution("age", 0, 1, bins=64, weight=2)
    survey = hm.Survey("s", [hm.Boolean("a"), ages, hm.Boolean("b"), hm.Crosstab("a", "b")], 1.0)
    shares, variance = level_shares(
        [4, 16, 64], [one.expected_variance(1 / 6) for one in survey.mechanisms[0][1:4]]
    )
    alone, pair = (survey.mechanisms[0][place].expected_variance(1 / 6) for place in (0, 5))
    asked = np.array(survey.weights) / survey.weights[0]
    # The pair tells of both, so each is asked half as often by itself.
    expected = [1, *(4 * variance * one / alone for one in shares), 1, 2 * pair / alone]
    assert asked == pytest.approx(expected, rel=0.1)


def test_a_number_in_a_pair_has_more_points_the_more_may_be_spent() -> None:
    def points(groups: int, *tiers: float) -> int:
        group = hm.Categorical("group", range(groups))
        pair = hm.Crosstab(group, hm.Numeric("x", -5, 5)).resolved({})
        (chosen,) = choose_points([pair], [Fraction(tier) for tier in tiers])
        assert isinstance(chosen, hm.Crosstab)
        assert not isinstance(chosen.second, str)
        return len(chosen.second.values)

    assert [points(4, epsilon) for epsilon in (0.5, 1.0, 2.0)] == [2, 2, 2]
    assert points(4, 4.0) == 4
    assert points(4, 8.0) > 5
    assert points(50, 8.0) < points(4, 8.0)
    assert points(4, 1.0, 8.0) <= points(4, 8.0)


HALVES = {"kind": "circulant", "counts": [TOTAL // 2, TOTAL // 2]}


def phones() -> dict[str, Any]:
    """Return the document of a survey with a grid, a wide window, digits and subsets."""
    attributes = [hm.Numeric("x", 0, 1), hm.Integer("w", 0, 15), hm.Integer("s", 0, 7),
                  Signed("g", ["a", "b", "c"]), hm.Integer("t", 0, 24)]  # fmt: skip
    document = hm.Survey("phones", attributes, 1.0, answers=1).to_document()
    code = {"code": "linear", "base": 5, "digits": 2, "multipliers": [1]}
    document["attributes"][4]["mechanisms"] = [{**code, "table": len(document["tables"])}]
    document["tables"].append(window_of(5, 0))
    read: dict[str, Any] = json.loads(json.dumps(document))
    return read


def mechanism(document: dict[str, Any], place: int) -> dict[str, Any]:
    found: dict[str, Any] = document["attributes"][place]["mechanisms"][0]
    return found


def table(document: dict[str, Any], place: int) -> dict[str, Any]:
    found: dict[str, Any] = document["tables"][mechanism(document, place)["table"]]
    return found


def window_of(base: int, *places: int) -> dict[str, Any]:
    """Return a table whose window is these places."""
    return {"kind": "circulant", "counts": window_counts(Fraction("0.9"), base, list(places))}


def use(document: dict[str, Any], place: int, new: dict[str, Any], **code: Any) -> None:
    mechanism(document, place).update(table=len(document["tables"]), **code)
    document["tables"].append(new)


def swapped(document: dict[str, Any]) -> None:
    """Let two subsets change places for one value alone."""
    row = table(document, 2)["counts"][3]
    likely, unlikely = row.index(max(row)), row.index(min(row))
    row[likely], row[unlikely] = row[unlikely], row[likely]


CHANGES: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (lambda d: mechanism(d, 0).update(outputs=None), "'outputs' must give a number for each"),
    (lambda d: mechanism(d, 0)["outputs"].append(0.0), "'outputs' must give a number for each"),
    (lambda d: mechanism(d, 0)["outputs"].__setitem__(0, "1"), "'outputs' must give a number"),
    (lambda d: mechanism(d, 0)["outputs"].__setitem__(0, -9.0), "do not give unbiased"),
    (lambda d: mechanism(d, 0)["outputs"].reverse(), "do not give unbiased"),
    (lambda d: mechanism(d, 0).update(table=mechanism(d, 1)["table"]), "needs a dense table"),
    (lambda d: mechanism(d, 0).update(points=16), "'points' must be the number of the table's"),
    (lambda d: mechanism(d, 1).update(base=19), "'base' must be the number of the table's"),
    (lambda d: mechanism(d, 1).update(multipliers=[1]), "do not treat all values alike"),
    (lambda d: use(d, 1, window_of(17, 0, 1, 2)), "do not treat all values alike"),
    (lambda d: use(d, 4, HALVES, base=2, digits=5), "do not treat all values alike"),
    (lambda d: use(d, 4, window_of(6, 0), base=6), "'base' must be prime"),
    (swapped, "do not treat all values alike"),
    (lambda d: mechanism(d, 3).update(digits=4), "must be the signed code"),
    (lambda d: mechanism(d, 3).update(table=mechanism(d, 0)["table"]), "a circulant table"),
    (lambda d: use(d, 3, window_of(3, 0)), "two symbols, the first likelier"),
    (lambda d: use(d, 3, window_of(2, 1)), "two symbols, the first likelier"),
    (lambda d: use(d, 3, HALVES), "two symbols, the first likelier"),
]


def test_the_document_as_it_is_can_be_loaded() -> None:
    survey = hm.Survey.from_document(phones())
    kinds = [one.to_document()["code"] for one in survey.mechanisms[0]]
    assert kinds == ["grid", "linear", "linear", "linear", "linear"]
    assert survey.mechanisms[0][2].table.kind == "dense"


@pytest.mark.parametrize(("change", "said"), CHANGES)
def test_a_document_whose_estimates_would_be_wrong_cannot_be_loaded(
    change: Callable[[dict[str, Any]], None], said: str
) -> None:
    document = phones()
    change(document)
    with pytest.raises(hm.SurveyError, match=said):
        hm.Survey.from_document(document)


def test_an_audit_tells_each_table_of_each_tier() -> None:
    survey = hm.Survey("s", [hm.Boolean("b"), hm.Integer("k", 0, 4)], tiers=[0.5, 2.0], answers=2)
    audit = hm.audit(survey)
    assert [(one.attribute, one.tier, one.promised) for one in audit.tables] == [
        ("b", 0, 0.25), ("k", 0, 0.25), ("b", 1, 1.0), ("k", 1, 1.0)
    ]  # fmt: skip
    assert audit.epsilon == pytest.approx(2.0)
    assert audit.promised == 2.0
    read = json.loads(audit.to_json())
    assert (read["survey"], len(read["tables"])) == ("s", 4)


def test_an_audit_counts_the_worst_answers_of_one_report() -> None:
    """Two of three answers: the two tables that spend most, not all three."""
    attributes = [hm.Boolean("a"), hm.Integer("k", 0, 15), hm.Numeric("x", 0, 1)]
    survey = hm.Survey("s", attributes, 2.0, answers=2)
    spent = [one.epsilon for one in hm.audit(survey).tables]
    assert min(spent) == spent[2] < 1 - 1e-13  # a table of numbers leaves most of all to spare
    assert hm.audit(survey).epsilon == pytest.approx(sum(spent[:2]), rel=1e-15)
    assert hm.audit(survey).epsilon <= 2.0
