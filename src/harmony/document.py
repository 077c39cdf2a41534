"""The survey document: JSON-shaped, with every table a device needs and can check.

    {"format": "harmony-survey/1", "name": ..., "epsilon": ..., "answers": ...,
     "attributes": [
         {"name": ..., "kind": ..., "coin": 1, "mechanisms": [{"code": ..., "table": 0}]}],
     "tables": [{"kind": "circulant", "counts": [...]}]}

"coin" is how often the coin names the attribute, in proportion.  An attribute has one mechanism
for each tier; equal tables are written once.  A distribution is written as the attributes of its
levels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from harmony_device.errors import RefusedError
from harmony_device.protocol import MAX_COIN, SURVEY_FORMAT
from harmony_device.tables import (
    Promise,
    ReplaceTable,
    Table,
    check_table,
    table_from_document,
)

from .attributes import Signed
from .distribution import gathered
from .errors import PrivacyError, SurveyError
from .mechanisms import Grid, Linear, Mechanism, SignedLinear
from .mechanisms.memory import Memo
from .near_names import did_you_mean
from .questions import Asked, question_from_document

Mechanisms = tuple[tuple[Mechanism, ...], ...]
"""The mechanism of each attribute, for each tier."""

_FIELDS = {
    "name", "purpose", "epsilon", "tiers", "mechanism", "answers", "balance", "attributes",
    "every", "memory",
}  # fmt: skip
_OF_DEFINITIONS = {"crosstabs"}


def survey_fields(document: Any) -> dict[str, Any]:
    """Return the arguments of `Survey` that a document gives, with attributes read."""
    if not isinstance(document, dict):
        raise SurveyError("a survey must be a mapping with 'name', 'epsilon' and 'attributes'")
    for field in ("name", "attributes"):
        if field not in document:
            near = did_you_mean(field, document.keys() - _FIELDS)
            raise SurveyError(f"'{field}' is missing{near}")
    if "format" in document and document["format"] != SURVEY_FORMAT:
        raise SurveyError(f"'format' must be {SURVEY_FORMAT!r}")
    known = _FIELDS | (set() if "format" in document else _OF_DEFINITIONS)
    if unknown := document.keys() - known - {"format", "tables", "change"}:
        field = min(map(str, unknown))
        raise SurveyError(f"unknown field '{field}'{did_you_mean(field, known)}")
    if not isinstance(document["attributes"], list):
        raise SurveyError("'attributes' must be a list")
    fields = {key: document[key] for key in known & document.keys()}
    fields["attributes"] = [
        question_from_document(one, f"attributes[{place}]")
        for place, one in enumerate(gathered(document["attributes"]))
    ]
    return fields


def write_document(
    definition: dict[str, Any],
    attributes: Sequence[Asked],
    weights: Sequence[int],
    mechanisms: Sequence[Sequence[Mechanism]],
) -> dict[str, Any]:
    """Return `definition` with what devices are asked, its coin's weights and its tables."""
    tables: list[dict[str, Any]] = []
    places: dict[str, int] = {}

    def place_of(table: Table | ReplaceTable) -> int:
        document = table.to_document()
        key = repr(document)
        if key not in places:
            places[key] = len(tables)
            tables.append(document)
        return places[key]

    described = [
        attribute.to_document()
        | {
            "coin": weights[place],
            "mechanisms": [
                tier[place].to_document()
                | {"table": place_of(tier[place].table)}
                | _replacing(tier[place], place_of)
                for tier in mechanisms
            ],
        }
        for place, attribute in enumerate(attributes)
    ]
    return {"format": SURVEY_FORMAT} | definition | {"attributes": described, "tables": tables}


def _replacing(mechanism: Mechanism, place_of: Callable[[ReplaceTable], int]) -> dict[str, int]:
    return {} if mechanism.memo is None else {"replace": place_of(mechanism.memo.replace)}


def read_change(document: dict[str, Any], memory: float | None) -> float | None:
    """Return what a report may cost whatever the answers do, of a document with memory."""
    change = document.get("change")
    if (change is None) != (memory is None):
        raise SurveyError("'change' and 'memory' belong together")
    if change is not None and (isinstance(change, bool) or not isinstance(change, int | float)):
        raise SurveyError("'change' must be a number")
    return None if change is None else float(change)


def read_weights(document: dict[str, Any]) -> list[int]:
    """Return how often a whole document's coin names each attribute, in proportion."""
    weights = [attribute.get("coin") for attribute in document["attributes"]]
    for place, weight in enumerate(weights):
        if type(weight) is not int or not 1 <= weight <= MAX_COIN:
            raise SurveyError(
                f"attributes[{place}]: 'coin' must be an integer from 1 to {MAX_COIN}"
            )
    return weights


def read_mechanisms(
    document: dict[str, Any],
    attributes: Sequence[Asked],
    tiers: Sequence[float],
    answers: int,
) -> Mechanisms:
    """Return the mechanisms of a whole document, each table proved to keep its promise."""
    memory = None if document.get("memory") is None else Fraction(document["memory"]) / answers
    change = None if document.get("change") is None else Fraction(document["change"]) / answers
    if not isinstance(document.get("tables"), list):
        raise SurveyError("'tables' must be a list")
    if len(document["attributes"]) != len(attributes) or any(
        _without_answers(one) != attribute.to_document()
        for one, attribute in zip(document["attributes"], attributes, strict=True)
    ):
        raise SurveyError("'attributes': the levels of a distribution are not those that it has")
    tables = []
    for place, one in enumerate(document["tables"]):
        try:
            tables.append(table_from_document(one))
        except RefusedError as problem:
            raise SurveyError(f"tables[{place}]: {problem}") from None
    read: list[list[Mechanism]] = [[] for _ in tiers]
    for place, attribute in enumerate(attributes):
        where = f"attributes[{place}]"
        mechanisms = document["attributes"][place].get("mechanisms")
        if not isinstance(mechanisms, list) or len(mechanisms) != len(tiers):
            raise SurveyError(f"{where}: 'mechanisms' must list one for each tier")
        for number, (tier, mechanism) in enumerate(zip(tiers, mechanisms, strict=True)):
            try:
                promises = Promises(Fraction(tier) / answers, memory, change)
                read[number].append(_read_mechanism(mechanism, attribute, tables, promises))
            except SurveyError as problem:
                raise type(problem)(f"{where}.mechanisms[{number}]: {problem}") from None
    return tuple(tuple(tier) for tier in read)


def _without_answers(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in ("coin", "mechanisms")}


class Promises(NamedTuple):
    """What one answer may spend: in a report, in all that share a memo, and in one of another."""

    epsilon: Fraction
    memory: Fraction | None = None
    change: Fraction | None = None


def prove(table: Table, epsilon: Fraction, memo: Memo | None = None) -> None:
    """Prove in integers that `table`, alone or as a memo's, keeps `epsilon`, or raise PrivacyError.

    A memo's must keep the memo's own epsilon, too.
    """
    try:
        if memo is None:
            check_table(table, epsilon)
        else:
            check_table(table, memo.epsilon)
            Promise(epsilon).check(table, memo.replace)
    except RefusedError as problem:
        raise PrivacyError(str(problem)) from None


def _read_memo(document: dict[str, Any], tables: list[Any], promises: Promises) -> Memo | None:
    """Return how a mechanism remembers, proved but for what depends on its own table."""
    if promises.memory is None or promises.change is None:
        if document.get("replace") is not None:
            raise SurveyError("'replace' needs 'memory'")
        return None
    memo = Memo(promises.memory, _read_table(document, "replace", tables, ReplaceTable))
    try:
        Promise(promises.change).check(memo.replace)
    except RefusedError as problem:
        raise PrivacyError(f"change: {problem}") from None
    return memo


def _read_table(document: dict[str, Any], field: str, tables: list[Any], kind: Any) -> Any:
    place = document.get(field)
    if type(place) is not int or not 0 <= place < len(tables):
        raise SurveyError(f"'{field}' must be the place of one of the survey's tables")
    if not isinstance(tables[place], kind):
        raise SurveyError(f"'{field}': its table is of another kind")
    return tables[place]


def _read_mechanism(
    document: Any, attribute: Asked, tables: list[Any], promises: Promises
) -> Mechanism:
    if not isinstance(document, dict):
        raise SurveyError("must be a mapping with 'code' and 'table'")
    table = _read_table(document, "table", tables, Table)
    epsilon, memo = promises.epsilon, _read_memo(document, tables, promises)
    if memo is not None and memo.replace.symbols != table.symbols:
        raise SurveyError("'replace' must have as many symbols as 'table'")
    prove(table, epsilon, memo)
    expected = "linear" if attribute.values else "grid"
    if document.get("code") != expected:
        raise SurveyError(f"'code' must be '{expected}' for this attribute")
    if bool(document.get("signed")) != isinstance(attribute, Signed):
        raise SurveyError("'signed' must be true for signed attributes, and no others")
    try:
        if isinstance(attribute, Signed):
            if memo is not None:
                raise SurveyError("a signed attribute has no 'memory'")
            return SignedLinear.from_document(document, table, epsilon, len(attribute.values))
        if attribute.values:
            return Linear.from_document(document, table, epsilon, len(attribute.values), memo)
        return Grid.from_document(document, table, epsilon, memo)
    except RefusedError as problem:
        raise SurveyError(str(problem)) from None
