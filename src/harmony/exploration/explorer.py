"""The explorer: a pure state machine from tallies to found strings, the same offline and live."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import TallyError
from ..tally import Tally
from .chances import EXPLAINED_WEIGHT, ROOT, Prefix, Standing, log_chance, standing_odds
from .definition import Exploration
from .evidence import Evidence, Pooled, StepEvidence
from .findings import Findings
from .never_shown import is_never_shown
from .picking import picked_strings
from .planning import plan
from .schedule import LOOKED_AT, Schedule
from .step import COUNT, SEARCH, Step


class Shown(NamedTuple):
    """What a place shows: the bits, their text, and whether that is a whole string, or cut."""

    bits: str
    text: str
    is_cut: bool
    is_whole: bool


@dataclass(frozen=True)
class Candidate:
    """A whole string that stood out in a step, and what every step since says of it.

    `chance` is that of its prefix before that step; from the estimate `kept_from` on, strings
    were kept.
    """

    bits: str
    text: str
    is_cut: bool
    chance: float
    kept_from: float
    evidence: Pooled

    def heard(self, more: Evidence) -> Candidate:
        """Return the candidate with the evidence of a step more."""
        pooled = Pooled((*self.evidence.parts, more))
        return Candidate(self.bits, self.text, self.is_cut, self.chance, self.kept_from, pooled)

    def to_document(self) -> dict[str, Any]:
        parts = [list(one) for one in self.evidence.parts]
        return {"bits": self.bits, "text": self.text, "cut": self.is_cut, "chance": self.chance,
                "kept_from": self.kept_from, "evidence": parts}  # fmt: skip

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Candidate:
        """Read a candidate back."""
        pooled = Pooled(tuple(Evidence(*part) for part in document["evidence"]))
        return cls(document["bits"], document["text"], document["cut"], document["chance"],
                   document["kept_from"], pooled)  # fmt: skip


class Explorer:
    """Turns an exploration into steps, and the tallies of those steps into found strings.

    There is no randomness in it: the same tallies find the same strings, and an explorer resumed
    from its `state` goes on as if nothing had happened.
    """

    def __init__(self, exploration: Exploration) -> None:
        self.exploration = exploration
        self.schedule = Schedule(exploration)
        self.history: list[dict[str, Any]] = []
        self.findings: Findings | None = None
        """What was found, once `step` is None."""
        self._prefixes: list[Prefix] = [ROOT]
        self._candidates: list[Candidate] = []
        self.step: Step | None = self._next_step()

    @classmethod
    def resume(cls, exploration: Exploration, state: Mapping[str, Any]) -> Explorer:
        """Return the explorer whose `state` this was."""
        explorer = cls(exploration)
        try:
            explorer.history = list(state["history"])
            explorer._prefixes = [Prefix(*one) for one in state["prefixes"]]
            explorer._candidates = [Candidate.from_document(one) for one in state["candidates"]]
            if state["findings"] is not None:
                explorer.findings = Findings.from_document(state["findings"])
        except (KeyError, TypeError, ValueError) as problem:
            raise TallyError(f"the state of the exploration is damaged ({problem})") from None
        explorer.step = explorer._next_step()
        return explorer

    @property
    def state(self) -> dict[str, Any]:
        """Everything learned so far, as JSON would hold it."""
        return {
            "exploration": self.exploration.name,
            "history": self.history,
            "prefixes": [list(one) for one in self._prefixes],
            "candidates": [one.to_document() for one in self._candidates],
            "findings": None if self.findings is None else self.findings.to_document(),
        }

    @property
    def spent(self) -> int:
        """How many devices have reported."""
        return sum(one["devices"] for one in self.history)

    def learn(self, tally: Tally) -> None:
        """Learn from the reports to the current step, and move on."""
        step = self._current()
        tally.check(step.survey)
        self.learn_from(StepEvidence.of(step.survey, tally) if tally.reports else None)

    def learn_from(self, evidence: StepEvidence | None) -> None:
        """Learn from what the reports to the current step say, None if there are none."""
        step = self._current()
        self.history.append(
            {
                "step": step.number,
                "purpose": step.purpose,
                "wanted": step.devices,
                "devices": 0 if evidence is None else evidence.each.devices,
            }
        )
        if evidence is None:
            self._prefixes, self._candidates = [], []
            self._finish()
        else:
            self._hear(step, evidence)
            if step.purpose == SEARCH:
                self._search(step, evidence)
            else:
                self._finish()
        self.history[-1] |= {"prefixes": len(self._prefixes), "strings": len(self._candidates)}
        self.step = self._next_step()

    def _current(self) -> Step:
        if self.step is None:
            raise TallyError("the exploration is complete; it has no step to learn from")
        return self.step

    def _next_step(self) -> Step | None:
        if self.findings is not None:
            return None
        number, schedule = len(self.history) + 1, self.schedule
        strings = [one.bits.rstrip("0") for one in self._candidates]  # devices pad them
        if self._prefixes:
            depth = len(self._prefixes[0].bits)
            bits = schedule.more_bits(len(self._prefixes), depth) if depth else schedule.first_bits
            prefixes, wanted = [one.bits for one in self._prefixes], schedule.devices(number - 1)
            return Step(self.exploration, number, SEARCH, prefixes, bits, strings, wanted)
        left = max(1, self.exploration.devices - self.spent)
        return Step(self.exploration, number, COUNT, [], 0, strings, left)

    def _hear(self, step: Step, evidence: StepEvidence) -> None:
        """Add what the step says of the strings that it asked about."""
        first = len(step.prefixes) << step.bits
        self._candidates = [
            one.heard(evidence.at(first + place)) for place, one in enumerate(self._candidates)
        ]

    def _search(self, step: Step, evidence: StepEvidence) -> None:
        """Keep the prefixes, and the whole strings, that are most likely common."""
        places, shown = self._standing(step, evidence)
        deviation = evidence.deviation
        expected = self.schedule.keep / 2 if step.number == 1 else 1.0
        standing = standing_odds(
            self._prefixes, places >> step.bits, evidence.estimates[places], deviation, step.bits,
            expected,
        )  # fmt: skip
        self.history[-1]["tested"] = self._tested(step, standing)
        best = np.argsort(-standing.log_odds, kind="stable").tolist()
        strings = [one for one in best if shown[one].is_whole][: self.schedule.most_strings]
        prefixes = [one for one in best if not shown[one].is_whole][: self.schedule.keep]
        estimates = standing.estimates.tolist()
        kept_from = min((estimates[one] for one in strings), default=0.0)
        for one in strings:
            chance = float(standing.chances[one])
            pooled = Pooled((evidence.at(int(places[one])),))
            bits, text, cut, _ = shown[one]
            self._candidates.append(Candidate(bits, text, cut, chance, kept_from, pooled))
        self._candidates.sort(key=lambda one: -one.evidence.z)
        room = self.schedule.most_strings if prefixes else self.schedule.counted
        self._candidates = self._candidates[:room]
        chances = log_chance(standing.log_odds).tolist()
        self._prefixes = [
            Prefix(shown[one].bits, estimates[one], deviation, chances[one]) for one in prefixes
        ]
        if not self._prefixes and not self._candidates:
            self._finish()

    def _standing(
        self, step: Step, evidence: StepEvidence
    ) -> tuple[NDArray[np.int64], list[Shown]]:
        """Return the places that stand out, the best of each prefix first, and what they show."""
        code, length = self.exploration.text.code, self.exploration.text.bits
        asked = evidence.estimates[: len(step.prefixes) << step.bits]
        standing = np.flatnonzero(asked > evidence.threshold(LOOKED_AT))
        standing = standing[np.lexsort((-asked[standing], standing >> step.bits))]
        begun = [code.spelled(one) for one in step.prefixes]
        places, shown = [], []
        for place in standing.tolist():
            prefix, more = divmod(place, 1 << step.bits)
            bits = format(more, f"0{step.bits}b") if step.bits else ""
            start = begun[prefix]
            spelled = None if start is None else code.spelled(bits, start)
            if spelled is None or is_never_shown(spelled.text, self.exploration.never):
                continue
            bits = step.prefixes[prefix] + bits
            is_cut = not spelled.complete and len(bits) == length
            places.append(place)
            shown.append(Shown(bits, spelled.text, is_cut, spelled.complete or is_cut))
        return np.array(places, np.int64), shown

    def _tested(self, step: Step, standing: Standing) -> float:
        """Return how many strings were tested, those under doubtful prefixes counting less."""
        code, length = self.exploration.text.code, self.exploration.text.bits
        tested = 0.0
        for place, prefix in enumerate(self._prefixes):
            strings = 1 << step.bits
            if step.depth + step.bits < length:
                strings = code.strings_within(prefix.bits, step.bits)
            weight = EXPLAINED_WEIGHT if standing.explained[place] else 1.0
            tested += strings * weight * prefix.chance
        return tested

    def _finish(self) -> None:
        """Decide which strings are found, and how common they are."""
        found, rest = picked_strings(self._candidates, self.schedule, self.history)
        asked = self.exploration
        self.findings = Findings(
            asked.name, asked.epsilon, self.spent, asked.mistakes, plan(asked).share, tuple(found),
            *(rest if self.spent else (1.0, 0.0, 1.0)),
        )  # fmt: skip
        self._prefixes = []
