"""The design of a survey: what it asks, its coins and tables, and its document."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from harmony_device.coins import SEED_BYTES
from harmony_device.protocol import SURVEY_FORMAT

from .canonical import canonical_json
from .document import (
    Mechanisms,
    prove,
    read_change,
    read_mechanisms,
    read_weights,
    survey_fields,
    write_document,
)
from .errors import SurveyError
from .mechanisms.choose import choose_answers, choose_points, design_mechanism
from .mechanisms.coins import coin_weights
from .near_names import did_you_mean
from .over_time import checked_every, checked_memory, promised
from .questions import Part, Question, attributes_of, checked_questions, definitions_of, parts_of
from .rounds import Round
from .survey_fields import (
    checked_answers,
    checked_balance,
    checked_mechanism,
    checked_name,
    checked_tiers,
)
from .wording import checked_words

if TYPE_CHECKING:
    from .draft import Draft


class Design:
    """What a survey asks and the tables with which devices answer, to be written and read back.

    `harmony.Survey` is one that can be used, and says what the fields mean.
    """

    def __init__(
        self,
        name: str,
        attributes: Iterable[Question],
        epsilon: float | None = None,
        *,
        mechanism: str = "auto",
        answers: int | None = None,
        tiers: Sequence[float] | None = None,
        balance: bool | None = None,
        crosstabs: str | Iterable[Sequence[str]] | None = None,
        purpose: str | None = None,
        every: int | None = None,
        memory: float | None = None,
        document: dict[str, Any] | None = None,
    ) -> None:
        self.name = checked_name(name)
        self.purpose = checked_words(purpose, "'purpose'")
        self.questions = checked_questions(attributes, crosstabs)
        self.attributes = attributes_of(self.questions)
        self.tiers = checked_tiers(epsilon, tiers)
        self.mechanism = checked_mechanism(mechanism)
        if answers is None and document is None:
            answers = choose_answers(self.attributes, self._exact_tiers(), mechanism)
        self.answers = checked_answers(answers, len(self.attributes))
        self.balance = checked_balance(balance, mechanism)
        self.every = checked_every(every)
        """Of how many rounds a device answers one; None: it answers all."""
        self.asked_memory = checked_memory(memory, self.tiers)
        """What memos may spend; `memory` is what they do."""
        self.memory = self.asked_memory
        """What all rounds cost together while an answer stays; None: each is answered afresh."""
        self.change: float | None = None
        """What a report may cost, with memory, whatever the answers do."""
        self.draft: Draft | None = None
        """What `from_frame` guessed, and nobody has reviewed."""
        self.mechanisms: Mechanisms
        """The mechanism of each attribute, for each tier; every table is proved."""
        self.weights: list[int]
        """How often the coin names each attribute, in proportion."""
        if document is None:
            self.questions = choose_points(self.questions, self._exact_tiers(self.answers))
            self.attributes = attributes_of(self.questions)
            self.mechanisms = self._designed()
            if self.memory is not None:
                self.memory, self.change = promised(self.mechanisms[0], self.memory, self.answers)
            self.weights = coin_weights(
                self.questions, self.mechanisms, self.answers, balance=self.balance
            )
        else:
            self.weights = read_weights(document)
            self.change = read_change(document, self.memory)
            self.mechanisms = read_mechanisms(document, self.attributes, self.tiers, self.answers)

    def _exact_tiers(self, answers: int = 1) -> list[Fraction]:
        """What one answer of each tier spends."""
        return [Fraction(tier) / answers for tier in self.tiers]

    def _designed(self) -> Mechanisms:
        memory = None if self.memory is None else Fraction(self.memory) / self.answers
        mechanisms = tuple(
            tuple(
                design_mechanism(attribute, epsilon, self.mechanism, memory)
                for attribute in self.attributes
            )
            for epsilon in self._exact_tiers(self.answers)
        )
        for built in chain.from_iterable(mechanisms):
            prove(built.table, built.epsilon, built.memo)
        return mechanisms

    @property
    def epsilon(self) -> float:
        """The most that one report of any tier may spend."""
        return max(self.tiers)

    def index(self, name: str) -> int:
        """Return the place of the attribute called `name`."""
        for place, attribute in enumerate(self.attributes):
            if attribute.name == name:
                return place
        near = did_you_mean(name, [attribute.name for attribute in self.attributes])
        raise SurveyError(f"the survey has no attribute {name!r}{near}")

    @property
    def readings(self) -> list[Part]:
        """What is read of a record or a table: each attribute, and both parts of a crosstab."""
        return [part for attribute in self.attributes for part in parts_of(attribute)]

    def rows(self, tier: int = 0) -> list[int]:
        """Return how many rows the coin chooses from, for each attribute."""
        return [mechanism.code.rows for mechanism in self.mechanisms[tier]]

    @cached_property
    def symbol_bytes(self) -> int:
        """Bytes that a symbol takes in a report: the same for every device and value."""
        most = max(mechanism.table.symbols for tier in self.mechanisms for mechanism in tier)
        return 1 if most <= 256 else 2

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the document's bytes: equal fingerprints mean equal tables."""
        return hashlib.sha256(self.document_bytes).hexdigest()

    @cached_property
    def seeds(self) -> tuple[bytes, bytes]:
        """The survey's own public seeds: of what it asks, if it has memory, and of its turns."""
        both = bytes.fromhex(self.fingerprint)
        return both[:SEED_BYTES], both[SEED_BYTES:]

    def coin_seed(self, round: Round) -> bytes:
        """Return the seed of the coin that asks: the round's, or with memory the survey's own."""
        return round.seed if self.memory is None else self.seeds[0]

    @cached_property
    def document_bytes(self) -> bytes:
        """The whole document as devices download it: canonical JSON, whose hash names it."""
        return canonical_json(self.to_document())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Design) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def definition(self) -> dict[str, Any]:
        """Return what a person would write: the survey without its tables."""
        document: dict[str, Any] = {"name": self.name}
        if self.purpose is not None:
            document["purpose"] = self.purpose
        if len(self.tiers) == 1:
            document["epsilon"] = self.tiers[0]
        else:
            document["tiers"] = list(self.tiers)
        document |= {"mechanism": self.mechanism, "answers": self.answers}
        document["balance"] = self.balance
        for field, given in (("every", self.every), ("memory", self.asked_memory)):
            if given is not None:
                document[field] = given
        return document | {"attributes": definitions_of(self.questions)}

    def to_document(self) -> dict[str, Any]:
        """Return the whole survey, tables included: what devices download and check."""
        promises = {} if self.memory is None else {"memory": self.memory, "change": self.change}
        definition = self.definition() | promises
        return write_document(definition, self.attributes, self.weights, self.mechanisms)

    @classmethod
    def from_document(cls, document: Any) -> Self:
        """Build a survey from a definition, or read back a whole document.

        The tables of a whole document are taken as they are, once each has been proved to
        keep its epsilon; without tables they are computed.

        >>> from harmony import Survey
        >>> again = Survey.from_document({"name": "phones", "epsilon": 1, "attributes": [
        ...     {"name": "wifi", "kind": "boolean"}]})
        >>> Survey.from_document(again.to_document()) == again
        True
        """
        whole = isinstance(document, dict) and document.get("format") == SURVEY_FORMAT
        return cls(**survey_fields(document), document=document if whole else None)

    def save(self, path: str | Path, *, tables: bool = True) -> None:
        """Write the survey to a .json, .yaml or .yml file, with its tables unless told not to."""
        from .files import write_structured

        write_structured(path, self.to_document() if tables else self.definition())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a survey from a .json, .yaml or .yml file."""
        from .files import read_structured

        return cls.from_document(read_structured(path))
