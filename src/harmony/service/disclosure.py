"""Disclosure: what a survey or a training asks and reveals, for anyone to read.

Pure functions of documents, as devices get them.  Every number is computed from the tables that a
document has; chances are rounded up, against ourselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice, pairwise, product
from typing import Any

import msgspec

from harmony.mechanisms.audit import log_ceiling
from harmony_device.errors import RefusedError
from harmony_device.exact import exp_floor
from harmony_device.tables import (
    TOTAL,
    DenseTable,
    Promise,
    ReplaceTable,
    Table,
    table_from_document,
)

SHOWN_VALUES = 50
"""Values of an attribute that are listed; the document has all."""

PRIORS = (Fraction(1, 2), Fraction(1, 10), Fraction(1, 100))
"""What somebody may have believed before: an even chance, one in ten, one in a hundred."""


@dataclass(frozen=True)
class Proof:
    """That one table keeps its epsilon: `largest * 2^128 <= floor * smallest`, in integers.

    `largest` and `smallest` are the counts, of 2^53 or, of what a survey with memory sends, of
    2^106, of the symbol whose chances differ most between two values; `floor` lies below
    e^promised * 2^128.  `epsilon` is the logarithm of their ratio, rounded up.
    """

    table: int
    kind: str
    inputs: int
    symbols: int
    largest: int
    smallest: int
    floor: int
    promised: float
    epsilon: float
    kept: bool
    used_by: tuple[str, ...]


@dataclass(frozen=True)
class Revealed:
    """How often somebody guesses right who has to choose between answers that seem equally likely.

    `among` says which answers those are.
    """

    among: str
    before: float
    after: float


@dataclass(frozen=True)
class Question:
    """One thing that is asked."""

    name: str
    question: str | None
    answer: str
    values: tuple[str, ...]
    left_out: int
    revealed: Revealed | None


@dataclass(frozen=True)
class Odds:
    """What somebody believes of a person who thought so before, having seen one report, at most."""

    before: float
    after: float


def odds_of(epsilon: float) -> tuple[Odds, ...]:
    """Return what one report may do to what somebody believes.

    >>> [(one.before, one.after) for one in odds_of(1.0)]
    [(0.5, 0.732), (0.1, 0.232), (0.01, 0.027)]
    """
    factor = Fraction(math.nextafter(math.exp(epsilon), math.inf))
    return tuple(
        Odds(float(prior), _rounded_up(prior * factor / (prior * factor + 1 - prior)))
        for prior in PRIORS
    )


@lru_cache(maxsize=256)
def proofs_of(document: bytes) -> tuple[Proof, ...]:
    """Prove every table that a survey's document uses, in every tier that uses it."""
    survey = msgspec.json.decode(document)
    tiers = survey.get("tiers") or [survey["epsilon"]]
    answers, tables = survey["answers"], survey["tables"]
    users: dict[tuple[int, int, int], list[str]] = {}
    for attribute in survey["attributes"]:
        for tier, mechanism in enumerate(attribute["mechanisms"]):
            key = (mechanism["table"], tier, mechanism.get("replace", -1))
            users.setdefault(key, []).append(attribute["name"])
    proofs = []
    for (place, tier, other), names in sorted(users.items()):
        table = table_from_document(tables[place])
        if other < 0:
            proofs.append(_proof(place, table, table.kind, tiers[tier], answers, names))
            continue
        replace = table_from_document(tables[other])
        memory, change = survey["memory"], survey["change"]
        proofs += [
            _proof(place, table, f"{table.kind}, kept", memory, answers, names),
            _proof(place, table, f"{table.kind}, sent", tiers[tier], answers, names, replace),
            _proof(other, table, "replace, of changes", change, answers, names, replace, True),
        ]
    return tuple(proofs)


def _proof(
    place: int,
    table: Table,
    kind: str,
    epsilon: float,
    answers: int,
    names: list[str],
    replace: ReplaceTable | None = None,
    alone: bool = False,
) -> Proof:
    """Prove a table; with `replace` what follows it, or that alone."""
    promise = Promise(epsilon, answers)
    extremes = table.extremes()
    if replace is not None:
        extremes = replace.extremes() if alone else replace.after(table)
    worst = max(extremes, key=lambda pair: Fraction(pair[1], pair[0]))
    try:
        if replace is None:
            promise.check(table)
        else:
            promise.check(*([replace] if alone else [table, replace]))
    except RefusedError:
        kept = False
    else:
        kept = True
    return Proof(
        table=place,
        kind=kind,
        inputs=table.inputs,
        symbols=table.symbols,
        largest=worst[1],
        smallest=worst[0],
        floor=exp_floor(epsilon, answers),
        promised=epsilon / answers,
        epsilon=log_ceiling(Fraction(worst[1], worst[0])),
        kept=kept,
        used_by=tuple(names),
    )


@lru_cache(maxsize=256)
def questions_of(document: bytes) -> tuple[Question, ...]:
    """Say what a survey asks, and what an answer reveals in the tier of most epsilon."""
    survey = msgspec.json.decode(document)
    tiers = survey.get("tiers") or [survey["epsilon"]]
    most = max(range(len(tiers)), key=tiers.__getitem__)
    tables = [table_from_document(one) for one in survey["tables"]]
    found = []
    for one in survey["attributes"]:
        mechanism = one["mechanisms"][most]
        replace = mechanism.get("replace")
        found.append(
            _question(one, tables[mechanism["table"]], None if replace is None else tables[replace])
        )
    return tuple(found)


def plain_question(attribute: dict[str, Any]) -> Question:
    """Say what an attribute asks that has no table of its own: a fact that a training uses."""
    return _question(attribute, None)


def _question(
    attribute: dict[str, Any], table: Table | None, replace: ReplaceTable | None = None
) -> Question:
    places, labels = _places(attribute)
    return Question(
        name=attribute["name"],
        question=attribute.get("question"),
        answer=_answer(attribute),
        values=tuple(islice(labels, SHOWN_VALUES)),
        left_out=max(0, places - SHOWN_VALUES),
        revealed=None if table is None else _revealed(attribute, places, table, replace),
    )


def _answer(attribute: dict[str, Any]) -> str:
    """Say in a few words what an answer is.

    >>> _answer({"kind": "crosstab", "of": [{"kind": "boolean"}, {"kind": "boolean"}]})
    'two answers in one: yes or no; and yes or no'
    """
    if attribute["kind"] == "crosstab":
        return f"two answers in one: {'; and '.join(map(_answer, attribute['of']))}"
    places, labels = _places(attribute)
    if attribute["kind"] == "numeric":
        between = f"a number from {attribute['low']:g} to {attribute['high']:g}"
        if attribute.get("points"):
            return f"{between}, rounded at random to one of {places:,}"
        return f"{between}, in {places:,} ranges" if places else between
    if list(labels) == ["no", "yes"]:
        return "yes or no"
    return f"one of {places:,} values"


def _places(attribute: dict[str, Any]) -> tuple[int, Iterable[str]]:
    """Return how many answers there are, and what they are called; of a number's range, none."""
    if attribute["kind"] == "crosstab":
        (first, rows), (second, columns) = map(_places, attribute["of"])
        return first * second, (" and ".join(pair) for pair in product(rows, columns))
    labels = _labels(attribute)
    return len(labels), labels


def _labels(attribute: dict[str, Any]) -> list[str]:
    if attribute["kind"] == "numeric":
        if points := attribute.get("points"):
            low, high = attribute["low"], attribute["high"]
            return [f"{low + (high - low) * one / (points - 1):g}" for one in range(points)]
        return [f"{low:g} to {high:g}" for low, high in pairwise(attribute.get("bins") or [])]
    if attribute["kind"] == "boolean" or attribute.get("values") == [False, True]:
        return ["no", "yes"]
    return [str(value) for value in attribute.get("values", ())]


def _revealed(
    attribute: dict[str, Any], places: int, table: Table, replace: ReplaceTable | None
) -> Revealed:
    """Say what one report reveals; all rounds of a survey with memory reveal what is kept."""
    total = TOTAL if replace is None else TOTAL**2
    if places:
        extremes = table.extremes() if replace is None else replace.after(table)
        likeliest = sum(largest for _, largest in extremes)
        if table.kind == "circulant":  # which says the same of every symbol, once
            likeliest *= table.symbols
        right = Fraction(likeliest, total * places)
        among = "all answers" if places > 2 else "both answers"
        return Revealed(among, 1 / places, _rounded_up(right))
    assert isinstance(table, DenseTable)  # as every grid's is
    ends = [table.counts[0], table.counts[-1]]
    if replace is not None:
        ends = [
            [
                replace.keep * kept + TOTAL * new
                for kept, new in zip(one, replace.counts, strict=True)
            ]
            for one in ends
        ]
    right = Fraction(sum(max(pair) for pair in zip(*ends, strict=True)), 2 * total)
    among = f"{attribute['low']:g} and {attribute['high']:g}, the lowest and the highest number"
    return Revealed(among, 0.5, _rounded_up(right))


def _rounded_up(share: Fraction) -> float:
    """Round a share up to a tenth of a percent."""
    return min(1.0, math.ceil(share * 1000) / 1000)


def as_plain(one: Any) -> dict[str, Any]:
    """Return a record as JSON has it; integers beyond 2^53 as text."""
    fields: dict[str, Any] = asdict(one)
    return {
        name: str(value) if isinstance(value, int) and abs(value) >= TOTAL else value
        for name, value in fields.items()
    }
