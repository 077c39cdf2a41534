"""Limits: how much privacy a device's owner allows to be spent."""

from __future__ import annotations

from math import floor, inf, isfinite

from .fields import is_well_formed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from .ledger import Entry

BILLION = 1e9


class Charge:
    """What one report spends: `epsilon` for itself.

    In a survey with memory, all reports of an answer that never changes spend `memory` together,
    and each report `change` in the worst case, whatever the answers do; `memo` names what they
    have in common.

    >>> Charge(1.0), Charge(1.0, memory=2.0, change=1.42, memo="00ff")
    (epsilon 1, epsilon 1 (at worst 1.42; 2 for all while the answer stays))
    """

    __slots__ = ("change", "epsilon", "memo", "memory")

    def __init__(
        self,
        epsilon: float,
        memory: float | None = None,
        change: float | None = None,
        memo: str | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.memory = memory
        self.change = change
        self.memo = memo

    @classmethod
    def from_line(cls, line: Any) -> Charge:
        """Read what a line of the ledger spent; raise an error if that is unknown."""
        epsilon, memo = _spent(line["epsilon"]), line.get("memo")
        if all(line.get(field) is None for field in ("memory", "change", "memo")):
            return cls(epsilon)
        return cls(epsilon, _spent(line["memory"]), _spent(line["change"]), line_text(memo))

    @property
    def worst(self) -> float:
        """What the report spends in the worst case, in billionths."""
        return billionths(self.epsilon if self.change is None else self.change)

    def __repr__(self) -> str:
        if self.memo is None:
            return f"epsilon {self.epsilon:g}"
        return (
            f"epsilon {self.epsilon:g} (at worst {self.change:g}; "
            f"{self.memory:g} for all while the answer stays)"
        )


def worst_spending(charges: Iterable[Charge]) -> float:
    """Return what charges come to whatever the answers did, in billionths."""
    return sum(one.worst for one in charges)


def steady_spending(charges: Iterable[Charge]) -> float:
    """Return what charges come to if no answer of a survey with memory changed, in billionths.

    Those of one memo come to its `memory` at most.

    >>> steady_spending([Charge(1.0, 2.0, 1.5, "a")] * 9 + [Charge(1.0)]) / BILLION
    3.0
    """
    plain: float = 0
    memos: dict[str, tuple[float, float]] = {}
    for one in charges:
        if one.memo is None:
            plain += one.worst
        else:
            most, spent = memos.get(one.memo, (0, 0))
            memos[one.memo] = max(most, billionths(one.memory)), spent + one.worst  # type: ignore[arg-type]
    return plain + sum(min(one) for one in memos.values())


class EpsilonLimit:
    """The most epsilon to spend in one report, in one round and in any 30 days.

    A round is a label: surveys that ask in the same round share `per_round`.  A limit that is
    not given is as large as the next wider one.

    A report of a survey with memory counts as much as it may cost if answers change.  With
    `steady`, all of them count as much as they cost if answers never do: `memory` in any 30 days.

    >>> EpsilonLimit(per_report=1, per_30_days=4)
    EpsilonLimit(per_report=1.0, per_round=4.0, per_30_days=4.0)
    """

    __slots__ = ("per_30_days", "per_report", "per_round", "steady")

    def __init__(
        self,
        per_report: float | None = None,
        per_round: float | None = None,
        *,
        per_30_days: float,
        steady: bool = False,
    ) -> None:
        if not isinstance(steady, bool):
            raise ValueError("'steady' must be True or False")
        self.steady = steady
        self.per_30_days = _checked(per_30_days, "per_30_days")
        self.per_round = _checked(_either(per_round, per_30_days), "per_round")
        self.per_report = _checked(_either(per_report, self.per_round), "per_report")

    @classmethod
    def of(cls, limit: float | EpsilonLimit) -> EpsilonLimit:
        """Return `limit`; a number bounds reports, rounds and 30 days alike."""
        return limit if isinstance(limit, EpsilonLimit) else cls(per_30_days=limit)

    def objection(
        self, charge: Charge, round: str, entries: Iterable[Entry], now: float
    ) -> str | None:
        """Return which limit `charge` would break, or None if it may be spent.

        A clock that jumps back cannot free anything: see `Entry.is_recent`.
        """
        entries = list(entries)
        in_round = [one.charge for one in entries if one.round == round]
        recent = [one.charge for one in entries if one.is_recent(now)]
        at_once = _alone if self.steady else worst_spending
        in_time = steady_spending if self.steady else worst_spending
        for name, spent, count, limit in (
            ("per_report", [], at_once, self.per_report),
            ("per_round", in_round, at_once, self.per_round),
            ("per_30_days", recent, in_time, self.per_30_days),
        ):
            before, after = count(spent), count([*spent, charge])
            if not after <= billionths(limit):
                more = (after - before) / BILLION if isfinite(after) else charge.epsilon
                told = f"{before / BILLION:g} spent and {more:g} asked"
                return f"{name}: {told}, the limit is {limit:g}"
        return None

    def choose(
        self, charges: Sequence[Charge], round: str, entries: Iterable[Entry], now: float
    ) -> tuple[int, str | None]:
        """Return the tier of most epsilon that may be spent, or an objection to all of them."""
        entries, objection = list(entries), None
        for tier in sorted(range(len(charges)), key=lambda tier: -charges[tier].epsilon):
            objection = self.objection(charges[tier], round, entries, now)
            if objection is None:
                break
        return tier, objection

    def __repr__(self) -> str:
        return (
            f"EpsilonLimit(per_report={self.per_report}, per_round={self.per_round}, "
            f"per_30_days={self.per_30_days}{', steady=True' * self.steady})"
        )


def line_text(value: object) -> str:
    """Return a text of a line of the ledger; raise an error if it is none."""
    if not isinstance(value, str) or not is_well_formed(value):
        raise ValueError
    return value


def _spent(epsilon: object) -> float:
    if type(epsilon) not in (int, float) or not 0 < float(epsilon) < inf:  # type: ignore[arg-type]
        raise ValueError
    return float(epsilon)  # type: ignore[arg-type]  # a number


def _alone(charges: Iterable[Charge]) -> float:
    return sum(billionths(one.epsilon) for one in charges)


def billionths(epsilon: float) -> float:
    """Return an epsilon in whole billionths: their sums are exact, and equal in all languages.

    >>> 3 * billionths(0.1) <= billionths(0.3), 0.1 + 0.1 + 0.1 <= 0.3
    (True, False)
    """
    scaled = epsilon * BILLION + 0.5
    return floor(scaled) if isfinite(scaled) else scaled  # a server may list any epsilon


def _either(limit: float | None, otherwise: float) -> float:
    return otherwise if limit is None else limit


def _checked(limit: object, name: str) -> float:
    if type(limit) not in (int, float) or not limit >= 0:  # type: ignore[operator]  # a number
        raise ValueError(f"'{name}' must be a number that is zero or more")
    return float(limit)  # type: ignore[arg-type]
