"""Surveys that a device must refuse: small changes of a survey that it must take."""

from __future__ import annotations

from typing import Any

TOTAL = 1 << 53
ABOVE_20, BELOW_LEAST = 20.000000000000004, 0.00009999999999999999
"""The first numbers that are no epsilons."""


def small_survey() -> dict[str, Any]:
    """The smallest survey with every kind of attribute, and two tiers of equal tables."""
    coin = {"kind": "circulant", "counts": [TOTAL // 2 + (1 << 50), TOTAL // 2 - (1 << 50)]}
    line = {"kind": "dense", "counts": [coin["counts"], coin["counts"][::-1]]}
    binary = {"code": "linear", "base": 2, "digits": 1, "multipliers": [1], "table": 0}
    four = {"code": "linear", "base": 2, "digits": 2, "multipliers": [1], "table": 0}
    grid = {"code": "grid", "points": 2, "outputs": [-4.0, 4.0], "table": 1}
    return {
        "format": "harmony-survey/1", "name": "small", "epsilon": 1.0, "answers": 1,
        "attributes": [
            {"name": "battery", "kind": "numeric", "low": 0.0, "high": 100.0, "coin": 1,
             "mechanisms": [grid]},
            {"name": "wifi", "kind": "categorical", "values": [False, True],
             "coin": 1, "mechanisms": [binary]},
            {"name": "age", "kind": "numeric", "low": 0.0, "high": 90.0,
             "bins": [0.0, 18.0, 65.0, 90.0], "coin": 2, "mechanisms": [four]},
        ],
        "tables": [coin, line],
    }  # fmt: skip


def paired_survey() -> dict[str, Any]:
    """The small survey with a crosstab, of a categorical attribute and a number."""
    survey = small_survey()
    cards = {"name": "cards", "kind": "categorical", "values": ["none", "one", "more"]}
    screen = {"name": "screen", "kind": "numeric", "low": 0.0, "high": 600.0, "points": 2}
    eight = {"code": "linear", "base": 2, "digits": 3, "multipliers": [1], "table": 0}
    survey["attributes"].append(
        {"name": "cards x screen", "kind": "crosstab", "of": [cards, screen], "coin": 1,
         "mechanisms": [eight]}
    )  # fmt: skip
    return survey


def remembering_survey() -> dict[str, Any]:
    """The small survey with memory: memos of 3 to 1, of which every second one is kept.

    A report keeps log(5 / 3), all reports of an answer log 3, and a change log 3 as well.
    """
    document = small_survey() | {"epsilon": 0.52, "memory": 1.1, "change": 1.1}
    row = [3 * TOTAL // 4, TOTAL // 4]
    document["tables"] = [
        {"kind": "circulant", "counts": row},
        {"kind": "dense", "counts": [row, row[::-1]]},
        {"kind": "replace", "counts": [TOTAL // 2, TOTAL // 4, TOTAL // 4]},
    ]
    for attribute in document["attributes"]:
        attribute["mechanisms"][0]["replace"] = 2
    return document


def even_tables() -> list[dict[str, Any]]:
    """Tables for the small survey that keep every epsilon: they tell nothing."""
    even = [TOTAL // 2, TOTAL // 2]
    return [{"kind": "circulant", "counts": even}, {"kind": "dense", "counts": [even, even]}]


def extreme_surveys() -> list[tuple[str, dict[str, Any]]]:
    """Surveys at the bounds of the protocol, which a device must take."""
    least = paired_survey() | {"name": "x", "epsilon": 0.0001, "every": 2, "tables": even_tables()}
    least["attributes"][0] |= {"name": "b", "low": -1.7e308, "high": 0}
    least["attributes"][2]["bins"] = [0, 5e-324, 90]
    most = paired_survey() | {"name": "z" * 100, "epsilon": 20, "every": 65536, "answers": 4}
    battery, wifi, age, pair = most["attributes"]
    battery |= {"name": "\U0001f600" * 200, "reads": "\U0001f600" * 200, "coin": 65536}
    wifi |= {"values": [1 - TOTAL, TOTAL - 1], "missing": TOTAL - 1, "unlisted": 1 - TOTAL}
    age["mechanisms"][0]["digits"] = 31
    for part, points in zip(range(2), (16, 65536), strict=True):
        pair["of"][part] = {"name": "n", "kind": "numeric", "low": 0, "high": 1, "points": points}
    pair["mechanisms"][0]["digits"] = 20
    sixteen = small_survey() | {"epsilon": None, "tiers": [1 + place for place in range(16)]}
    for attribute in sixteen["attributes"]:
        attribute["mechanisms"] *= 16
    spoken = small_survey() | {"purpose": "why " * 101 + "\n", "weight": "much", "balance": 7}
    spoken["mechanism"] = spoken["question"] = []
    spoken["attributes"][0] |= {"question": "how much? " * 41, "weight": -1, "level_of": 7}
    spoken["attributes"][0]["mechanisms"][0]["outputs"] = "what an aggregator makes of it"
    return [
        ("all that may be small is as small as can be", least),
        ("all that may be large is as large as can be", most),
        ("sixteen tiers", sixteen),
        ("what a device does not look at", spoken),
    ]


REMOVED = object()


def refusals() -> list[tuple[str, str, list[tuple[list[Any], Any]]]]:
    """Each refusal: why, the field its message names, and what is changed where."""
    counts = ["tables", 0, "counts"]
    battery, wifi, age = (["attributes", place] for place in range(3))
    binary = [*wifi, "mechanisms", 0]
    return [
        ("another format", "format", [(["format"], "harmony-survey/2")]),
        ("no format", "format", [(["format"], REMOVED)]),
        ("a name that is a path", "name", [(["name"], "../../etc")]),
        ("an empty name", "name", [(["name"], "")]),
        ("no epsilon", "epsilon", [(["epsilon"], REMOVED)]),
        ("epsilon and tiers", "tiers", [(["tiers"], [1.0])]),
        ("epsilon is text", "epsilon", [(["epsilon"], "1")]),
        ("epsilon is true", "epsilon", [(["epsilon"], True)]),
        ("epsilon is negative", "epsilon", [(["epsilon"], -1.0)]),
        ("epsilon is enormous", "epsilon", [(["epsilon"], 1e300)]),
        ("an epsilon above 20", "epsilon", [(["epsilon"], ABOVE_20)]),
        ("an epsilon below 0.0001", "epsilon",
         [(["epsilon"], BELOW_LEAST), (["tables"], even_tables())]),
        ("a tier above 20", "tiers", [(["epsilon"], REMOVED), (["tiers"], [ABOVE_20])]),
        ("no tiers", "tiers", [(["epsilon"], REMOVED), (["tiers"], [])]),
        ("a name of 101 letters", "name", [(["name"], "z" * 101)]),
        ("more tiers than mechanisms", "mechanisms",
         [(["epsilon"], REMOVED), (["tiers"], [1.0, 2.0])]),
        ("more mechanisms than tiers", "mechanisms",
         [([*wifi, "mechanisms"], small_survey()["attributes"][1]["mechanisms"] * 2)]),
        ("a tier twice", "tiers", [(["epsilon"], REMOVED), (["tiers"], [1.0, 1.0])]),
        ("no answers", "answers", [(["answers"], 0)]),
        ("more answers than attributes", "answers", [(["answers"], 4)]),
        ("answers is a fraction", "answers", [(["answers"], 1.5)]),
        ("attributes is no list", "attributes", [(["attributes"], {"battery": 1})]),
        ("no attributes", "attributes", [(["attributes"], [])]),
        ("an attribute is text", "attributes[1]", [(wifi, "wifi")]),
        ("a signed code for an attribute that is not", "signed", [([*binary, "signed"], True)]),
        ("a signed code for bins", "signed", [([*age, "mechanisms", 0, "signed"], True)]),
        ("a signed attribute without a signed code", "signed", [([*wifi, "kind"], "signed")]),
        ("a signed code whose mark is a number", "signed",
         [([*wifi, "kind"], "signed"), ([*binary, "signed"], 1), ([*binary, "digits"], 2)]),
        ("a mark that is 0, not false", "signed", [([*binary, "signed"], 0)]),
        ("a signed code over base 3", "base",
         [([*wifi, "kind"], "signed"), ([*binary, "signed"], True), ([*binary, "base"], 3)]),
        ("a signed code for a number", "signed", [([*battery, "mechanisms", 0, "signed"], True)]),
        ("a signed code of one digit", "digits",
         [([*wifi, "kind"], "signed"), ([*binary, "signed"], True)]),
        ("a signed code of more digits than its levels have", "digits",
         [([*wifi, "kind"], "signed"), ([*binary, "signed"], True), ([*binary, "digits"], 3)]),
        ("a signed attribute with a missing value", "missing",
         [([*wifi, "kind"], "signed"), ([*wifi, "missing"], True)]),
        ("an unknown kind", "kind", [([*wifi, "kind"], "boolean")]),
        ("two attributes of one name", "name", [([*wifi, "name"], "battery")]),
        ("an attribute without a name", "name", [([*wifi, "name"], "")]),
        ("a name of 201 characters", "name", [([*wifi, "name"], "é" * 201)]),
        ("a name with half of a surrogate pair", "name", [([*wifi, "name"], "a\ud800")]),
        ("a value with half of a surrogate pair", "values", [([*wifi, "values"], ["a", "\udfff"])]),
        ("low is text", "low", [([*battery, "low"], "0")]),
        ("low above high", "low", [([*battery, "low"], 101.0)]),
        ("a range beyond doubles", "high",
         [([*battery, "low"], -1.7e308), ([*battery, "high"], 1.7e308)]),
        ("missing outside the range", "missing", [([*battery, "missing"], 101.0)]),
        ("missing is not a value", "missing", [([*wifi, "missing"], "no")]),
        ("missing is 1, not true", "missing", [([*wifi, "missing"], 1)]),
        ("unlisted is not a value", "unlisted", [([*wifi, "unlisted"], "no")]),
        ("unlisted is 1, not true", "unlisted", [([*wifi, "unlisted"], 1)]),
        ("unlisted of a number", "unlisted", [([*battery, "unlisted"], 50.0)]),
        ("unlisted of bins", "unlisted", [([*age, "unlisted"], 50.0)]),
        ("a signed attribute with an unlisted value", "unlisted",
         [([*wifi, "kind"], "signed"), ([*wifi, "unlisted"], True)]),
        ("reads is a list", "reads", [([*wifi, "reads"], ["battery"])]),
        ("reads nothing", "reads", [([*battery, "reads"], "")]),
        ("reads a text of 201 characters", "reads", [([*age, "reads"], "é" * 201)]),
        ("coin is zero", "coin", [([*wifi, "coin"], 0)]),
        ("coin is a fraction", "coin", [([*wifi, "coin"], 1.5)]),
        ("coin is enormous", "coin", [([*wifi, "coin"], 1 << 40)]),
        ("coin is 65,537", "coin", [([*wifi, "coin"], 65537)]),
        ("one value", "values", [([*wifi, "values"], [True])]),
        ("a value twice", "values", [([*wifi, "values"], [True, True])]),
        ("0 and -0", "values", [([*wifi, "values"], [0, -0.0])]),
        ("values of two kinds", "values", [([*wifi, "values"], [True, 0])]),
        ("values that are fractions", "values", [([*wifi, "values"], [0.5, 1.5])]),
        ("an integer beyond 2^53 - 1", "values", [([*wifi, "values"], [0, 1 << 53])]),
        ("an integer below -(2^53 - 1)", "values", [([*wifi, "values"], [0, -(1 << 53)])]),
        ("values are lists", "values", [([*wifi, "values"], [[1], [2]])]),
        ("bins out of order", "bins", [([*age, "bins"], [0.0, 65.0, 18.0, 90.0])]),
        ("bins that miss the range", "bins", [([*age, "bins"], [0.0, 18.0, 65.0])]),
        ("two edges", "bins", [([*age, "bins"], [0.0, 90.0])]),
        ("an edge twice", "bins", [([*age, "bins"], [0.0, 18.0, 18.0, 90.0])]),
        ("bins are text", "bins", [([*age, "bins"], "0,18,90")]),
        ("no mechanisms", "mechanisms", [([*wifi, "mechanisms"], REMOVED)]),
        ("a mechanism is a number", "mechanisms[0]", [(binary, 7)]),
        ("a code for another kind", "code", [([*battery, "mechanisms", 0, "code"], "linear")]),
        ("an unknown code", "code", [([*binary, "code"], "identity")]),
        ("a table that is not there", "table", [([*binary, "table"], 2)]),
        ("a negative table", "table", [([*binary, "table"], -1)]),
        ("points unlike the table", "points", [([*battery, "mechanisms", 0, "points"], 3)]),
        ("one point", "points", [([*battery, "mechanisms", 0, "points"], 1)]),
        ("a grid with a circulant table", "dense", [([*battery, "mechanisms", 0, "table"], 0)]),
        ("base unlike the table", "base", [([*binary, "base"], 3)]),
        ("base is one", "base", [([*binary, "base"], 1)]),
        ("digits too few for the values", "digits", [([*age, "mechanisms", 0, "digits"], 1)]),
        ("digits beyond all bounds", "digits", [([*binary, "digits"], 1000000000)]),
        ("33 digits", "digits", [([*binary, "digits"], 33)]),
        ("more rows than 2^31", "rows", [([*binary, "digits"], 32)]),
        ("a base too large for its digits", "digits",
         [(["tables", 0, "counts"], [TOTAL - 2 * (TOTAL // 3), TOTAL // 3, TOTAL // 3]),
          ([*binary, "base"], 3), ([*age, "mechanisms", 0, "base"], 3),
          ([*age, "mechanisms", 0, "digits"], 22)]),
        ("seventeen tiers", "tiers",
         [(["epsilon"], REMOVED), (["tiers"], [1.0 + place for place in range(17)])]),
        ("an epsilon of zero", "epsilon", [(["epsilon"], 0)]),
        ("no multipliers", "multipliers", [([*binary, "multipliers"], [])]),
        ("a multiplier of zero", "multipliers", [([*binary, "multipliers"], [0])]),
        ("a multiplier as large as the base", "multipliers", [([*binary, "multipliers"], [2])]),
        ("an unknown kind of table", "kind", [(["tables", 0, "kind"], "sparse")]),
        ("tables is no list", "tables", [(["tables"], {})]),
        ("counts that miss 2**53 by one", "sum", [([*counts, 0], TOTAL // 2 + (1 << 50) - 1)]),
        ("a count of zero", "positive", [(counts, [TOTAL, 0])]),
        ("a negative count", "positive", [(counts, [TOTAL + 1, -1])]),
        ("a count that is a fraction", "positive", [(counts, [TOTAL / 2 + 0.5, TOTAL / 2 - 0.5])]),
        ("a row of one count", "counts", [(counts, [TOTAL])]),
        ("a dense table of one row", "counts",
         [(["tables", 1, "counts"], [[TOTAL // 2, TOTAL // 2]])]),
        ("rows of two lengths", "length", [(["tables", 1, "counts", 1], [1 << 51] * 4)]),
        ("a circulant table beyond its epsilon", "epsilon",
         [(counts, [TOTAL * 3 // 4, TOTAL // 4])]),
        ("a dense table beyond its epsilon in one symbol", "epsilon",
         [(["tables", 1, "counts"], [[TOTAL // 16 * share for share in row]
                                     for row in ([8, 7, 1], [8, 5, 3])])]),
        ("a table one count beyond its epsilon", "epsilon", [(counts, over_by_one())]),
        ("a table that keeps epsilon, not epsilon / answers", "epsilon",
         [(["epsilon"], 0.6), (["answers"], 2)]),
    ]  # fmt: skip


def pair_refusals() -> list[tuple[str, str, list[tuple[list[Any], Any]]]]:
    """The same for crosstabs, as changes of the paired survey."""
    pair = ["attributes", 3]
    cards, screen, code = [*pair, "of", 0], [*pair, "of", 1], [*pair, "mechanisms", 0]
    inner = {"name": "a", "kind": "categorical", "values": ["x", "y"]}
    large = {"low": 0.0, "high": 600.0, "kind": "numeric", "points": 10000}
    return [
        ("a part that reads a number", "reads", [([*cards, "reads"], 7)]),
        ("a crosstab that reads a list", "reads", [([*pair, "reads"], ["cards", "screen"])]),
        ("a crosstab of nothing", "of", [([*pair, "of"], REMOVED)]),
        ("a crosstab of one part", "of", [([*pair, "of"], [inner])]),
        ("a crosstab of three parts", "of", [([*pair, "of"], [inner, inner, inner])]),
        ("a part that is a name", "of[0]", [(cards, "wifi")]),
        ("a part without a name", "name", [([*cards, "name"], REMOVED)]),
        ("a crosstab of a crosstab", "kind",
         [(cards, {"name": "nested", "kind": "crosstab", "of": [inner, inner]})]),
        ("a crosstab of a signed attribute", "kind", [([*cards, "kind"], "signed")]),
        ("a crosstab of 10,000 times 10,000 places", "of",
         [(cards, {"name": "a", **large}), (screen, {"name": "b", **large}),
          ([*code, "digits"], 27)]),
        ("a crosstab of more than 2^20 places", "of",
         [(cards, {"name": "a", **large, "points": 1024}),
          (screen, {"name": "b", **large, "points": 1025}), ([*code, "digits"], 21)]),
        ("a part with bins out of order", "bins", [([*screen, "bins"], [0.0, 40.0, 10.0, 600.0])]),
        ("a part with a value twice", "values", [([*cards, "values"], ["one", "one"])]),
        ("a part that is a number without points", "points", [([*screen, "points"], REMOVED)]),
        ("a part of one point", "points", [([*screen, "points"], 1)]),
        ("a part of 65,537 points", "points", [([*screen, "points"], 65537)]),
        ("a crosstab with a missing value", "missing", [([*pair, "missing"], "none")]),
        ("a crosstab with an unlisted value", "unlisted", [([*pair, "unlisted"], "none")]),
        ("a part whose missing value is none of its values", "missing",
         [([*cards, "missing"], "two")]),
        ("a signed code for a crosstab", "signed", [([*code, "signed"], True)]),
        ("a grid for a crosstab", "code",
         [(code, {"code": "grid", "points": 2, "table": 1})]),
        ("digits too few for a crosstab", "digits", [([*code, "digits"], 2)]),
    ]  # fmt: skip


def over_by_one() -> list[int]:
    """The first two counts whose ratio is more than e: everything below keeps epsilon = 1."""
    # e to 60 digits, rounded up, as an integer ratio: certainly above e.
    e_above = 2718281828459045235360287471352662497757247093699959574966968
    least = next(
        count for count in range(TOTAL * 10**60 // (10**60 + e_above) + 2, 0, -1)
        if (TOTAL - count) * 10**60 > e_above * count
    )  # fmt: skip
    return [TOTAL - least, least]
