"""Disclosure: what a survey or a training asks and reveals, for anyone to read.

Pure functions of documents, as devices get them.  Every number is computed from the tables that a
document has; chances are rounded up, against ourselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import islice, pairwise, product
from typing import Any

import msgspec

from harmony.mechanisms.audit import log_ceiling
from harmony.numerals import numerals
from harmony_device.exact import exp_floor, within_bound
from harmony_device.tables import TOTAL, DenseTable, ReplaceTable, Table, table_from_document

SHOWN_VALUES = 50
"""Values of an attribute that are listed; the document has all."""

PRIORS = (Fraction(1, 2), Fraction(1, 10), Fraction(1, 100))
"""What somebody may have believed before: an even chance, one in ten, one in a hundred."""


@dataclass(frozen=True)
class Proof:
    """That one table keeps what is promised: `largest * 2^128 <= floor * smallest`, in integers.

    `largest` and `smallest` are the counts, of 2^53 (of two tables one after the other, 2^106), of
    the symbol whose chances differ most between two values; `floor` lies below e^promised * 2^128.
    `epsilon` is the logarithm of their ratio, rounded up.  `of` says what spends it.
    """

    table: int
    kind: str
    inputs: int
    symbols: int
    of: str
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
    tables = [table_from_document(one) for one in survey["tables"]]
    users: dict[tuple[int, int | None, int], list[str]] = {}
    for attribute in survey["attributes"]:
        for tier, one in enumerate(attribute["mechanisms"]):
            users.setdefault((one["table"], one.get("replace"), tier), []).append(attribute["name"])
    proofs: list[Proof] = []
    for (place, other, tier), names in sorted(users.items(), key=lambda user: user[0][::2]):
        table, report = tables[place], "one report"
        proving = partial(_proof, place, table, answers=survey["answers"], names=names)
        if other is None:
            proofs.append(proving(report, table.kind, table.extremes(), tiers[tier]))
            continue
        replace, stays = tables[other], "all reports of an answer that stays"
        both, changed = f"{table.kind}, then replace {other}", "each report of another answer"
        proofs.append(proving(report, both, replace.after(table), tiers[tier]))
        proofs.append(proving(stays, table.kind, table.extremes(), survey["memory"]))
        kind = f"replace {other}"
        proofs.append(proving(changed, kind, replace.extremes(), survey["change"]))
    return tuple(proofs)


def _proof(
    place: int,
    table: Table,
    of: str,
    kind: str,
    extremes: Sequence[tuple[int, int]],
    epsilon: float,
    *,
    answers: int,
    names: list[str],
) -> Proof:
    worst = max(extremes, key=lambda pair: Fraction(pair[1], pair[0]))
    floor = exp_floor(epsilon, answers)
    return Proof(
        table=place,
        kind=kind,
        inputs=table.inputs,
        symbols=table.symbols,
        of=of,
        largest=worst[1],
        smallest=worst[0],
        floor=floor,
        promised=epsilon / answers,
        epsilon=log_ceiling(Fraction(worst[1], worst[0])),
        kept=within_bound(worst[1], worst[0], floor),
        used_by=tuple(names),
    )


@lru_cache(maxsize=256)
def questions_of(document: bytes) -> tuple[Question, ...]:
    """Say what a survey asks, and what an answer reveals in the tier of most epsilon."""
    survey = msgspec.json.decode(document)
    tiers = survey.get("tiers") or [survey["epsilon"]]
    most = max(range(len(tiers)), key=tiers.__getitem__)
    tables = [table_from_document(one) for one in survey["tables"]]
    asked = []
    for one in survey["attributes"]:
        mechanism = one["mechanisms"][most]
        replace = mechanism.get("replace")
        other = None if replace is None else tables[replace]
        asked.append(_question(one, tables[mechanism["table"]], other))
    return tuple(asked)


def plain_question(attribute: dict[str, Any]) -> Question:
    """Say what an attribute asks that has no table of its own: a fact that a training uses."""
    return _question(attribute, None, None)


def _question(
    attribute: dict[str, Any], table: Table | None, replace: ReplaceTable | None
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
    if attribute["kind"] == "text":
        return "a text, which a public code spells in bits"
    if attribute["kind"] == "crosstab":
        return f"two answers in one: {'; and '.join(map(_answer, attribute['of']))}"
    if attribute["kind"] == "text":
        return "a text, of which a device says whether it begins as one of a list does"
    places, labels = _places(attribute)
    if attribute["kind"] == "numeric":
        low, high = numerals((attribute["low"], attribute["high"]))
        between = f"a number from {low} to {high}"
        if attribute.get("points"):
            return f"{between}, rounded at random to one of {places:,}"
        return f"{between}, in {places:,} ranges" if places else between
    if list(labels) == ["no", "yes"]:
        return "yes or no"
    return f"one of {places:,} values"


def _places(attribute: dict[str, Any]) -> tuple[int, Iterable[str]]:
    """Return how many answers there are, and what they are called; of a number's range, none."""
    if attribute["kind"] == "text":
        return 0, ()
    if attribute["kind"] == "crosstab":
        (first, rows), (second, columns) = map(_places, attribute["of"])
        return first * second, (" and ".join(pair) for pair in product(rows, columns))
    labels = _labels(attribute)
    return len(labels), labels


def _labels(attribute: dict[str, Any]) -> list[str]:
    if attribute["kind"] == "numeric":
        if points := attribute.get("points"):
            low, high = attribute["low"], attribute["high"]
            grid = [low + (high - low) * one / (points - 1) for one in range(points)]
            return list(numerals(grid))
        edges = numerals(attribute.get("bins") or [])
        return [f"{low} to {high}" for low, high in pairwise(edges)]
    if attribute["kind"] == "boolean" or attribute.get("values") == [False, True]:
        return ["no", "yes"]
    return [str(value) for value in attribute.get("values", ())]


def _revealed(
    attribute: dict[str, Any], places: int, table: Table, replace: ReplaceTable | None
) -> Revealed | None:
    if attribute["kind"] == "text":
        return None  # answers are not equally likely, nor known
    if places:
        likeliest = [largest for _, largest in table.extremes()]
        if table.kind == "circulant":  # which says the same of every symbol, once
            likeliest *= table.symbols
        among = "all answers" if places > 2 else "both answers"
        return Revealed(among, 1 / places, _rounded_up(_right(likeliest, replace) / places))
    assert isinstance(table, DenseTable)  # as every grid's is
    likeliest = [max(pair) for pair in zip(table.counts[0], table.counts[-1], strict=True)]
    low, high = numerals((attribute["low"], attribute["high"]))
    among = f"{low} and {high}, the lowest and the highest number"
    return Revealed(among, 0.5, _rounded_up(_right(likeliest, replace) / 2))


def _right(likeliest: Sequence[int], replace: ReplaceTable | None) -> Fraction:
    """Add up, over the symbols, the chance of each under the answer that makes it likeliest."""
    if replace is None:
        return Fraction(sum(likeliest), TOTAL)
    kept = Fraction(replace.keep * sum(likeliest), TOTAL * TOTAL)
    return kept + Fraction(sum(replace.counts), TOTAL)


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
