"""Surveys whose promise only some ways of checking it find broken, and some that keep theirs."""

from __future__ import annotations

from typing import Any

from refusals import REMOVED, remembering_survey, small_survey

TOTAL = 1 << 53
EIGHTH = TOTAL // 8

Refusals = list[tuple[str, str, list[tuple[list[Any], Any]]]]


def in_tiers(*epsilons: float) -> list[tuple[list[Any], Any]]:
    """Changes of the small survey: these tiers, with the same tables in each."""
    attributes = [one | {"mechanisms": one["mechanisms"] * len(epsilons)}
                  for one in small_survey()["attributes"]]  # fmt: skip
    return [(["epsilon"], REMOVED), (["tiers"], list(epsilons)), (["attributes"], attributes)]


def promise_refusals() -> Refusals:
    """Changes of the small survey, whose tables keep log(5 / 3), which is 0.51."""
    table = ["attributes", 2, "mechanisms", 0, "table"]
    coin, line = small_survey()["tables"]
    wrong = {"kind": "circulant", "counts": [TOTAL // 2, TOTAL // 2 - 1]}
    return [
        ("a table beyond the epsilon of its second tier", "epsilon", in_tiers(1.0, 0.5)),
        ("a table beyond the epsilon of its first tier", "epsilon", in_tiers(0.5, 1.0)),
        ("a table beyond the epsilon of its third tier", "epsilon", in_tiers(2.0, 1.0, 0.5)),
        ("a table that keeps its tier's epsilon, not epsilon / answers", "epsilon",
         [*in_tiers(1.1, 1.0), (["answers"], 2)]),
        ("a table of the last attribute beyond its epsilon", "epsilon",
         [(["tables"], [coin, line, {"kind": "circulant", "counts": [6 * EIGHTH, 2 * EIGHTH]}]),
          (table, 2)]),
        ("a table that no mechanism uses, which misses 2**53 by one", "sum",
         [(["tables"], [coin, line, coin, wrong])]),
        ("a table that no mechanism uses, with a count of zero", "positive",
         [(["tables"], [coin, line, {"kind": "dense", "counts": [[TOTAL, 0]] * 2}])]),
        ("a table that no mechanism uses, of an unknown kind", "kind",
         [(["tables"], [coin, line, coin | {"kind": "sparse"}])]),
    ]  # fmt: skip


def memory_promise_refusals() -> Refusals:
    """Changes of the remembering survey: memos of 3 to 1, of which every second one is kept."""
    even = remembering_survey()["tables"]
    rising, falling = ([4 * EIGHTH, *row] for row in ([EIGHTH, 3 * EIGHTH], [3 * EIGHTH, EIGHTH]))
    replace = ["tables", 2, "counts"]

    def of_circulants(row: list[int]) -> list[tuple[list[Any], Any]]:
        """The same, but another replace table after the circulant one."""
        others = [(["attributes", place, "mechanisms", 0, "replace"], 3) for place in (1, 2)]
        return [(["tables"], [*even, {"kind": "replace", "counts": row}]), *others,
                (["change"], 1.7)]  # fmt: skip

    return [
        ("a memo that keeps memory, not memory / answers", "memory",
         [(["answers"], 2), (["epsilon"], 1.04), (["change"], 2.2)]),
        ("a replace table that keeps change, not change / answers", "change",
         [(["answers"], 2), (["epsilon"], 1.04), (["memory"], 2.2)]),
        ("a replace table beyond its change in the first symbol", "change",
         [(["epsilon"], 0.7), (replace, rising)]),
        ("a replace table beyond its change in the last symbol", "change",
         [(["epsilon"], 0.7), (replace, falling)]),
        ("a report beyond its epsilon where the first symbol is rarely drawn", "epsilon",
         of_circulants(rising)),
        ("a report beyond its epsilon where the last symbol is rarely drawn", "epsilon",
         of_circulants(falling)),
        ("a report of the last attribute beyond its epsilon", "epsilon",
         [(["tables"], [*even, {"kind": "circulant", "counts": [7 * EIGHTH, EIGHTH]}]),
          (["memory"], 2.0), (["attributes", 2, "mechanisms", 0, "table"], 3)]),
    ]  # fmt: skip


def kept_promises() -> list[tuple[str, dict[str, Any]]]:
    """Surveys that keep every promise that they make."""
    strict = small_survey() | {"epsilon": None, "tiers": [1.0, 0.3]}
    mild = [4 * EIGHTH + EIGHTH // 2, 3 * EIGHTH + EIGHTH // 2]  # log(9 / 7), which is 0.25
    strict["tables"] += [{"kind": "circulant", "counts": mild},
                         {"kind": "dense", "counts": [mild, mild[::-1]]}]  # fmt: skip
    for attribute in strict["attributes"]:
        (one,) = attribute["mechanisms"]
        attribute["mechanisms"] = [one, one | {"table": one["table"] + 2}]
    unused = small_survey()
    unused["tables"].append({"kind": "circulant", "counts": [TOTAL - 1, 1]})
    unused["tables"].append({"kind": "replace", "counts": [TOTAL - 2, 1, 1]})
    uneven = remembering_survey() | {"epsilon": 1.3, "memory": 3.3, "change": 2.9}
    # The symbol that is seldom drawn has counts that are alike, and needs no more.
    uneven["tables"][1]["counts"] = [[5 * EIGHTH, EIGHTH, 2 * EIGHTH],
                                     [EIGHTH, 5 * EIGHTH, 2 * EIGHTH]]  # fmt: skip
    seldom = [5 * EIGHTH, 5 * EIGHTH // 4, 5 * EIGHTH // 4, EIGHTH // 2]
    uneven["tables"].append({"kind": "replace", "counts": seldom})
    uneven["attributes"][0]["mechanisms"][0]["replace"] = 3
    return [
        ("two tiers, each of which keeps its own epsilon", strict),
        ("tables beyond every epsilon that no mechanism uses", unused),
        ("a replace table that seldom draws the symbol that tells least", uneven),
    ]
