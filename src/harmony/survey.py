"""Surveys: what the aggregator asks, and the tables with which devices answer."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harmony_device.coins import SEED_BYTES
from harmony_device.protocol import (
    LEAST_EPSILON,
    MAX_TIERS,
    MOST_EPSILON,
    SURVEY_FORMAT,
)

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
from .over_time import Cost, checked_every, checked_memory, cost_of, promised
from .questions import Part, Question, attributes_of, checked_questions, definitions_of, parts_of
from .rounds import Round
from .wording import checked_words

if TYPE_CHECKING:
    import pyarrow as pa

    from .bulk.columns import TableLike
    from .draft import Draft
    from .estimate.result import Result
    from .plan import Plan
    from .shapes import Shape
    from .tally import Tally

MECHANISMS = ("auto", "harmony")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Survey:
    """Named attributes, an epsilon, and how many of the attributes each report answers.

    `tiers` offers several epsilons: each device picks one, and its reports carry the choice.
    `answers` is chosen for least error unless given.  With `balance`, which is the rule except
    for the paper's own mechanism, attributes are asked in proportion to the variance of an
    answer about them, so that all estimates are equally good; their `weight` counts on top.
    `crosstabs` adds the joint tables of pairs of attributes: those that it lists by their names,
    or "all"; `plan` says how many devices that takes.  `purpose` says to people what their
    answers are for; its words, and the question of each attribute, are part of the document.
    Given a whole `document`, its coins and tables are taken instead of being designed.

    Over many rounds: with `every`=T a device answers one of every T rounds, which the coin picks;
    with `memory` it answers from a permanent randomised answer, so that all rounds of an answer
    that never changes cost that much at most.  `cost` says what rounds cost.

    `questions` are the attributes as they were asked for; `attributes` are those that devices
    answer, with several for each distribution.

    >>> import harmony as hm
    >>> survey = Survey("phones", epsilon=1.0, attributes=[
    ...     hm.Numeric("battery", 0, 100), hm.Categorical("theme", ["light", "dark", "auto"])])
    >>> survey
    <Survey 'phones': 2 attributes, epsilon 1, 1 answer a report>
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
        self.tiers = _checked_tiers(epsilon, tiers)
        self.mechanism = _checked_mechanism(mechanism)
        if answers is None and document is None:
            answers = choose_answers(self.attributes, self._exact_tiers(), mechanism)
        self.answers = _checked_answers(answers, len(self.attributes))
        self.balance = _checked_balance(balance, mechanism)
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

    def cost(self, rounds: int) -> Cost:
        """Return what so many rounds cost the owner of a device that answers whenever asked.

        >>> from harmony import Numeric
        >>> survey = Survey("phones", [Numeric("battery", 0, 100)], 1.0, memory=2)
        >>> print(survey.cost(rounds=52))
        52 reports in 52 rounds, epsilon 2 if the answer never changes, 166.5 at worst
        """
        return cost_of(self, rounds)

    @cached_property
    def document_bytes(self) -> bytes:
        """The whole document as devices download it: canonical JSON, whose hash names it."""
        return canonical_json(self.to_document())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Survey) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        attributes = _plural(len(self.questions), "attribute")
        spent = "/".join(f"{tier:g}" for tier in self.tiers)
        answers = _plural(self.answers, "answer")
        drafted = f"; to review: {', '.join(self.draft.to_review)}" if self.draft else ""
        turns = "" if self.every is None else f", one of every {self.every} rounds"
        memory = "" if self.memory is None else f", memory {self.memory:g}"
        return (
            f"<Survey {self.name!r}: {attributes}, epsilon {spent}{memory}, {answers} a report"
            f"{turns}{drafted}>"
        )

    def _repr_html_(self) -> str:
        from .estimate.notebook import survey_html

        return survey_html(self)

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
    def from_document(cls, document: Any) -> Survey:
        """Build a survey from a definition, or read back a whole document.

        The tables of a whole document are taken as they are, once each has been proved to
        keep its epsilon; without tables they are computed.

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
    def load(cls, path: str | Path) -> Survey:
        """Read a survey from a .json, .yaml or .yml file."""
        from .files import read_structured

        return cls.from_document(read_structured(path))

    @classmethod
    def from_frame(
        cls,
        table: TableLike,
        epsilon: float,
        *,
        name: str = "draft",
        columns: Sequence[str] | None = None,
    ) -> Survey:
        """Draft a survey from a table's columns, to be reviewed: see `draft` and `to_code`.

        Ranges and values are read off the data, which tells about the people in it: a
        `PrivacyLeakWarning` says of which columns.

        >>> import harmony as hm
        >>> draft = Survey.from_frame({"wifi": [True, False]}, epsilon=1.0, name="phones")
        >>> print(draft.to_code())
        hm.Survey("phones", epsilon=1, attributes=[
            hm.Boolean("wifi"),
        ])
        """
        from .draft import draft_attributes, warn_of_draft

        attributes, draft = draft_attributes(table, columns)
        survey = cls(name, attributes, epsilon)
        survey.draft = draft
        warn_of_draft(draft)
        return survey

    def to_code(self) -> str:
        """Return the Python code that builds this survey, with a comment on what to review."""
        from .draft import survey_code

        return survey_code(self)

    def randomize(
        self,
        table: TableLike,
        seed: int | None = None,
        *,
        round: Round | None = None,
        tiers: Any = None,
        first: int = 0,
        strict: bool = False,
        as_devices: bool = False,
        progress: bool | None = None,
    ) -> pa.Table:
        """Randomise one report a row, as the devices would, and return them as an Arrow table.

        Numbers outside their range are clipped and counted in a warning, or refused with
        `strict`.  Values that are missing, not listed or of another type are refused where the
        attribute names nothing that stands for them; with `as_devices` every value has an answer,
        as on a device, where such people answer at random.  Randomness comes from the operating
        system unless `seed` asks for a reproducible simulation.  Row i is device number
        `first` + i.
        """
        from .bulk.collect import Randomizer, randomize

        devices = Randomizer(
            self,
            table,
            seed,
            round=round,
            tiers=tiers,
            first=first,
            strict=strict,
            as_devices=as_devices,
        )
        return randomize(devices, progress)

    def tally(self, reports: pa.Table, round: Round | None = None) -> Tally:
        """Count an Arrow table of reports; the round is read from its metadata if not given."""
        from .bulk.count_reports import tally_reports

        return tally_reports(self, reports, round)

    def collect(
        self,
        table: TableLike,
        seed: int | None = None,
        *,
        round: Round | None = None,
        tiers: Any = None,
        first: int = 0,
        strict: bool = False,
        as_devices: bool = False,
        progress: bool | None = None,
        threads: int | None = None,
    ) -> Tally:
        """Randomise and count in one pass: `tally(randomize(...))` without the reports between.

        With rotation only the rows count whose turn it is in `round`, which needs a number.  With
        memory each collection is a round of its own, with memos drawn anew: it costs `epsilon`.

        All cores are used unless `threads` says otherwise; the result is the same.  See
        `randomize` for the other options.

        >>> import harmony as hm
        >>> survey = Survey("phones", [hm.Numeric("battery", 0, 100)], epsilon=1.0)
        >>> survey.collect({"battery": [20.0, 35.5, 90.0]}, seed=7).reports
        3
        >>> survey.collect({"battery": [20.0, None, "full"]}, seed=7, as_devices=True).reports
        3
        """
        from .bulk.collect import Randomizer, collect

        devices = Randomizer(
            self,
            table,
            seed,
            round=round,
            tiers=tiers,
            first=first,
            strict=strict,
            as_devices=as_devices,
        )
        return collect(devices, progress, threads)

    def estimate(
        self,
        tally: Tally | Mapping[Any, Tally] | None = None,
        *,
        tallies: Sequence[Tally] | None = None,
        too_wide: float = 0.2,
        dishonest: float = 0.01,
        weighting: str = "devices",
        population: Mapping[Any, float] | None = None,
    ) -> Result:
        """Turn a tally into means and histograms with intervals.

        With `tallies`, those of several rounds, what is estimated is the average over the rounds;
        the result warns of attributes that changed meanwhile.

        An estimate whose 95% interval is wider than `too_wide` of its domain says "too few
        reports to say".  `dishonest` is the share of devices that `influence` supposes to lie.
        `weighting` is how tiers combine: by the number of their "devices", or by "precision",
        which is narrower but right only if devices of all tiers would answer alike.

        `population` weighs strata that the server knows of (app versions, countries) to their
        known shares; `tally` is then a mapping of strata to tallies.

        >>> from harmony import Boolean
        >>> survey = Survey("phones", [Boolean("wifi")], epsilon=2.0)
        >>> week = Round("2026-W46", bytes(16))
        >>> versions = {
        ...     "old": survey.collect({"wifi": [True] * 9_000 + [False] * 1_000}, 7, round=week),
        ...     "new": survey.collect({"wifi": [True] * 300 + [False] * 700}, 8, round=week),
        ... }
        >>> weighted = survey.estimate(versions, population={"old": 0.5, "new": 0.5})
        >>> f"{weighted.histogram('wifi').frequencies[True]:.2f}"
        '0.62'
        """
        from .estimate import estimate

        return estimate(
            self,
            tally,
            tallies=tallies,
            too_wide=too_wide,
            dishonest=dishonest,
            weighting=weighting,
            population=population,
        )

    def plan(
        self,
        devices: int | None = None,
        error: float | None = None,
        confidence: float = 0.95,
        shape: Shape | None = None,
    ) -> Plan:
        """Predict the error of every estimate for `devices`, or the devices an `error` needs.

        Errors are half-widths of intervals, as a share of the attribute's range (numeric) or
        in frequency (categorical).  They depend on how the values are spread: the plan shows them
        for evenly spread ones and at worst, and an `error` is met at worst.  With `shape`,
        it is "even" or "worst" that counts, or what is expected of the attributes that are
        named: the frequencies of values, or a list of numbers like those to come.

        >>> from harmony import Integer
        >>> survey = Survey("apps", [Integer("app", 0, 49)], 4.0)
        >>> [survey.plan(error=0.01, shape=shape).devices for shape in ("even", "worst")]
        [2060, 35775]
        >>> survey.plan(devices=5_000, shape={"app": [0.51] + [0.01] * 49}).errors[0].error
        0.019...
        """
        from .plan import plan

        return plan(self, devices=devices, error=error, confidence=confidence, shape=shape)


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def checked_name(name: object) -> str:
    """Return a survey's name, or refuse it."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise SurveyError(
            "'name' must be 1 to 100 letters, digits, '.', '_' or '-', "
            "starting with a letter or digit"
        )
    return name


def _checked_tiers(epsilon: object, tiers: object) -> tuple[float, ...]:
    if (epsilon is None) == (tiers is None):
        raise SurveyError("give either 'epsilon' or 'tiers'")
    if epsilon is not None:
        return (checked_epsilon(epsilon, "epsilon"),)
    if not isinstance(tiers, Sequence) or isinstance(tiers, str):
        raise SurveyError("'tiers' must be a list of epsilons")
    if not 1 <= len(tiers) <= MAX_TIERS:
        raise SurveyError(f"'tiers' must list between 1 and {MAX_TIERS} epsilons")
    checked = tuple(checked_epsilon(tier, "tiers") for tier in tiers)
    if len(set(checked)) != len(checked):
        raise SurveyError("'tiers' lists the same epsilon twice")
    return checked


def checked_epsilon(epsilon: object, field: str) -> float:
    """Return an epsilon as a number, or refuse it by the field's name."""
    if isinstance(epsilon, bool) or not isinstance(epsilon, int | float):
        raise SurveyError(f"'{field}' must be a number")
    if not math.isfinite(epsilon) or not LEAST_EPSILON <= epsilon <= MOST_EPSILON:
        raise SurveyError(
            f"'{field}' must lie between {LEAST_EPSILON:g} and {MOST_EPSILON:g}; "
            "0.1 is strong privacy, 1 is usual, above 8 protects little"
        )
    return float(epsilon)


def _checked_mechanism(mechanism: object) -> str:
    if not isinstance(mechanism, str) or mechanism not in MECHANISMS:
        raise SurveyError(f"'mechanism' must be one of {', '.join(MECHANISMS)}")
    return mechanism


def _checked_balance(balance: object, mechanism: str) -> bool:
    if balance is None:
        return mechanism == "auto"
    if not isinstance(balance, bool):
        raise SurveyError("'balance' must be true or false")
    return balance


def _checked_answers(answers: object, attributes: int) -> int:
    if type(answers) is not int or not 1 <= answers <= attributes:
        raise SurveyError("'answers' must be an integer from 1 to the number of attributes")
    return answers
