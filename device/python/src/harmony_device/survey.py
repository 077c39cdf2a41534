"""The survey document as a device reads it: believed only after it has been checked.

Privacy: the document comes from a server that a device need not trust.  `Survey` proves in
integers that every table of every tier keeps `epsilon / answers`; a report's `answers`
symbols then spend at most epsilon together.  In a survey with memory it proves three such
bounds: of what is kept, of what is sent, and of what is sent given what is kept.  Anything
malformed, oversized or untrue is refused with a RefusedError that names the field.
"""

from __future__ import annotations

from struct import Struct

from .coins import SEED_BYTES
from .crosstab import attribute_from_document
from .errors import RefusedError
from .fields import checked_name
from .limits import Charge
from .mechanisms import mechanism_from_document
from .protocol import (
    LEAST_EPSILON,
    MAX_ATTRIBUTES,
    MAX_COIN,
    MAX_COUNTS,
    MAX_EVERY,
    MAX_MEMO_WORDS,
    MAX_TIERS,
    MOST_BYTES,
    MOST_EPSILON,
    SURVEY_FORMAT,
)
from .record import reader
from .rotation import place_of
from .strict_json import parse_json, whole
from .tables import Promise, table_from_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .crosstab import Attribute
    from .mechanisms import Mechanism
    from .record import Values
    from .tables import ReplaceTable, Table


class Survey:
    """A survey whose tables this device has proved to keep their epsilon.

    >>> survey = Survey({"format": "harmony-survey/1", "name": "phones", "epsilon": 1.1,
    ...     "answers": 1, "tables": [{"kind": "circulant", "counts": [3 << 51, 1 << 51]}],
    ...     "attributes": [{"name": "wifi", "kind": "categorical", "values": [False, True],
    ...         "coin": 1, "mechanisms": [{"code": "linear", "base": 2, "digits": 1,
    ...                                    "multipliers": [1], "table": 0}]}]})
    >>> survey
    <Survey 'phones': 1 attribute, epsilon 1.1, 1 answer a report of 18 bytes>
    """

    def __init__(self, document: Any, fingerprint: str | None = None) -> None:
        if not isinstance(document, dict):
            raise RefusedError("a survey must be an object with 'format' and 'attributes'")
        self.fingerprint = fingerprint
        if document.get("format") != SURVEY_FORMAT:
            raise RefusedError(f"'format' must be '{SURVEY_FORMAT}'; this device knows no other")
        self.name = checked_name(document.get("name"), "name")
        self.tiers = _checked_tiers(document)
        described = _checked_list(document, "attributes", MAX_ATTRIBUTES)
        self.attributes = [located(f"attributes[{place}]", attribute_from_document, one)
                           for place, one in enumerate(described)]  # fmt: skip
        if len({attribute.name for attribute in self.attributes}) != len(self.attributes):
            raise RefusedError("'attributes': two attributes have the same 'name'")
        self.answers = _checked_answers(document.get("answers"), len(self.attributes))
        self.weights = [located(f"attributes[{place}]", _checked_coin, one)
                       for place, one in enumerate(described)]  # fmt: skip
        self.every = _checked_every(document.get("every"))
        self.memory, self.change = _checked_memory(document)
        tables = _checked_tables(document)
        self.mechanisms = _checked_mechanisms(described, self.attributes, self.tiers, tables)
        if self.memory is None:
            _check_privacy(self.mechanisms, self.tiers, self.answers)
        else:
            _check_memory(self, self.mechanisms[0], self.memory, self.change)  # type: ignore[arg-type]

        self.rows = [[mechanism.rows for mechanism in tier] for tier in self.mechanisms]
        widest = max(one.table.symbols for tier in self.mechanisms for one in tier)
        self.symbol_bytes = 1 if widest <= 256 else 2
        symbol = "B" if self.symbol_bytes == 1 else "H"
        self.report_layout = Struct(f"<16sB{self.answers}{symbol}")
        self.words_layout = Struct(f"<{2 * self.answers}Q")

    @classmethod
    def from_json(cls, content: bytes, most_bytes: int = MOST_BYTES) -> Survey:
        """Read a survey as it was downloaded."""
        from hashlib import sha256

        return cls(parse_json(content, most_bytes), sha256(content).hexdigest())

    @property
    def seeds(self) -> tuple[bytes, bytes]:
        """The survey's own public seeds: of what it asks, if it has memory, and of its turns."""
        if self.fingerprint is None:
            raise ValueError("a survey with 'every' or 'memory' needs its fingerprint")
        both = bytes.fromhex(self.fingerprint)
        return both[:SEED_BYTES], both[SEED_BYTES:]

    def place(self, device: bytes) -> int:
        """Return which of every so many rounds a device answers."""
        return 0 if self.every is None else place_of(self.seeds[1], device, self.every)

    def coin_seed(self, round_seed: bytes) -> bytes:
        """Return the seed of the coin that asks: the round's, or with memory the survey's own."""
        return round_seed if self.memory is None else self.seeds[0]

    def charge(self, tier: int, memo: str | None = None) -> Charge:
        """Return what a report of this tier spends."""
        return Charge(self.tiers[tier], self.memory, self.change, memo if self.memory else None)

    @property
    def report_bytes(self) -> int:
        """The size of every report: it depends on the survey alone."""
        return self.report_layout.size

    @property
    def needs(self) -> list[tuple[str, str]]:
        """What a record must tell to answer: names, and the types of their values, once each."""
        return list(dict.fromkeys(need for one in self.attributes for need in one.needs))

    def read(self, values: Values) -> list[Any]:
        """Return this device's answer to every attribute, asked or not; of a crosstab, two.

        `values` is a mapping, or a function of an attribute's name.  All attributes are read,
        always: the calls to the function do not tell which attribute the coin asks.
        """
        value_of = reader(values)
        return [attribute.answer(value_of) for attribute in self.attributes]

    def warnings(self, values: Values) -> list[str]:
        """Return what an app's developer should know about values that have no answer."""
        value_of = reader(values)
        warnings = (warning for one in self.attributes for warning in one.warnings(value_of))
        return list(dict.fromkeys(warnings))

    def __repr__(self) -> str:
        count, answers = len(self.attributes), self.answers
        return (
            f"<Survey {self.name!r}: {count} attribute{'s' * (count > 1)}, "
            f"epsilon {'/'.join(f'{tier:g}' for tier in self.tiers)}, "
            f"{answers} answer{'s' * (answers > 1)} a report of {self.report_bytes} bytes"
            f"{f', memory {self.memory:g}' if self.memory else ''}"
            f"{f', every {self.every} rounds' if self.every else ''}>"
        )


def located(where: str, read: Callable[..., Any], *arguments: object) -> Any:
    """Call `read`, and let a refusal say where in the document it happened."""
    try:
        return read(*arguments)
    except RefusedError as refusal:
        raise RefusedError(f"{where}: {refusal}") from None


def _checked_list(document: dict[str, Any], field: str, most: int) -> list[Any]:
    found = document.get(field)
    if not isinstance(found, list) or not 1 <= len(found) <= most:
        raise RefusedError(f"'{field}' must be a list of 1 to {most} entries")
    return found


def _checked_tiers(document: dict[str, Any]) -> list[float]:
    epsilon = document.get("epsilon")
    if (epsilon is None) == (document.get("tiers") is None):
        raise RefusedError("give either 'epsilon' or 'tiers'")
    if epsilon is not None:
        return [_checked_epsilon(epsilon, "epsilon")]
    tiers = [_checked_epsilon(one, "tiers") for one in _checked_list(document, "tiers", MAX_TIERS)]
    if len(set(tiers)) != len(tiers):
        raise RefusedError("'tiers' lists the same epsilon twice")
    return tiers


def _checked_epsilon(epsilon: object, field: str) -> float:
    if (type(epsilon) is int or type(epsilon) is float) and (
        LEAST_EPSILON <= epsilon <= MOST_EPSILON  # not so for NaN
    ):
        return float(epsilon)
    raise RefusedError(f"'{field}' must be a number from {LEAST_EPSILON:g} to {MOST_EPSILON:g}")


def _checked_every(every: object) -> int | None:
    every = whole(every)
    if every is not None and (type(every) is not int or not 2 <= every <= MAX_EVERY):
        raise RefusedError(f"'every' must be an integer from 2 to {MAX_EVERY}")
    return every


def _checked_memory(document: dict[str, Any]) -> tuple[float | None, float | None]:
    memory, change = document.get("memory"), document.get("change")
    if memory is None and change is None:
        return None, None
    if document.get("epsilon") is None:
        raise RefusedError("'memory' needs one 'epsilon', not 'tiers'")
    return _checked_epsilon(memory, "memory"), _checked_epsilon(change, "change")


def _checked_answers(answers: object, attributes: int) -> int:
    answers = whole(answers)
    if type(answers) is not int or not 1 <= answers <= attributes:
        raise RefusedError("'answers' must be an integer from 1 to the number of attributes")
    return answers


def _checked_coin(attribute: dict[str, Any]) -> int:
    coin = whole(attribute.get("coin"))
    if type(coin) is not int or not 1 <= coin <= MAX_COIN:
        raise RefusedError(f"'coin' must be an integer from 1 to {MAX_COIN}")
    return coin


def _checked_tables(document: dict[str, Any]) -> list[Table]:
    described = _checked_list(document, "tables", MAX_ATTRIBUTES * MAX_TIERS)
    if sum(map(_count_counts, described)) > MAX_COUNTS:
        raise RefusedError(f"'tables' hold more than {MAX_COUNTS} counts together")
    return [
        located(f"tables[{place}]", table_from_document, one) for place, one in enumerate(described)
    ]


def _count_counts(table: object) -> int:
    counts = table.get("counts") if isinstance(table, dict) else None
    if not isinstance(counts, list):
        return 0
    return sum(len(row) if isinstance(row, list) else 1 for row in counts)


def _checked_mechanisms(
    described: list[dict[str, Any]],
    attributes: list[Attribute],
    tiers: list[float],
    tables: list[Table],
) -> list[list[Mechanism]]:
    """Return the mechanism of each attribute, for each tier."""
    read: list[list[Mechanism]] = [[] for _ in tiers]
    for place, (document, attribute) in enumerate(zip(described, attributes)):
        mechanisms = document.get("mechanisms")
        if not isinstance(mechanisms, list) or len(mechanisms) != len(tiers):
            raise RefusedError(
                f"attributes[{place}]: 'mechanisms' must list one mechanism for each tier"
            )
        for tier, mechanism in enumerate(mechanisms):
            where = f"attributes[{place}].mechanisms[{tier}]"
            found = located(where, mechanism_from_document, mechanism, attribute, tables)
            read[tier].append(found)
    return read


def _check_memory(
    survey: Survey, mechanisms: list[Mechanism], memory: float, change: float
) -> None:
    """Prove that memos keep `memory`, reports `epsilon`, and each of another answer `change`.

    All by the part of one answer.  And bound what a device must draw and keep.
    """
    answers = survey.answers
    kept, sent = Promise(memory, answers), Promise(survey.tiers[0], answers)
    changed = Promise(change, answers)
    proved: dict[int, ReplaceTable] = {}
    for place, one in enumerate(mechanisms):
        where = f"attributes[{place}].mechanisms[0]"
        if one.replace is None:
            raise RefusedError(f"{where}: 'replace' is missing, which 'memory' needs")
        if answers * (1 + one.table.inputs) > MAX_MEMO_WORDS:
            raise RefusedError(f"{where}: 'memory' would keep more than {MAX_MEMO_WORDS} words")
        if id(one.table) in proved:  # with its own replace table, so that proofs are few
            if proved[id(one.table)] is not one.replace:
                raise RefusedError(f"{where}: 'replace' must be the same for the same 'table'")
            continue
        proved[id(one.table)] = one.replace
        located(f"{where}: memory", kept.check, one.table)
        located(f"{where}: epsilon", sent.check, one.table, one.replace)
        located(f"{where}: change", changed.check, one.replace)


def _check_privacy(mechanisms: list[list[Mechanism]], tiers: list[float], answers: int) -> None:
    """Prove that every mechanism of every tier spends at most the tier's epsilon / answers."""
    for number, (tier, epsilon) in enumerate(zip(mechanisms, tiers)):
        promise, proved = Promise(epsilon, answers), set()
        for place, mechanism in enumerate(tier):
            if mechanism.replace is not None:
                raise RefusedError(
                    f"attributes[{place}].mechanisms[{number}]: 'replace' needs 'memory'"
                )
            if id(mechanism.table) not in proved:
                where = f"attributes[{place}].mechanisms[{number}]"
                located(where, promise.check, mechanism.table)
                proved.add(id(mechanism.table))
