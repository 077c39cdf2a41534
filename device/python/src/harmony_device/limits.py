"""Limits: how much privacy a device's owner allows to be spent."""

from __future__ import annotations

from math import floor, isfinite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .ledger import Entry

BILLION = 1e9


class EpsilonLimit:
    """The most epsilon to spend in one report, in one round and in any 30 days.

    A round is a label: surveys that ask in the same round share `per_round`.  A limit that is
    not given is as large as the next wider one.

    >>> EpsilonLimit(per_report=1, per_30_days=4)
    EpsilonLimit(per_report=1.0, per_round=4.0, per_30_days=4.0)
    """

    __slots__ = ("per_30_days", "per_report", "per_round")

    def __init__(
        self,
        per_report: float | None = None,
        per_round: float | None = None,
        *,
        per_30_days: float,
    ) -> None:
        self.per_30_days = _checked(per_30_days, "per_30_days")
        self.per_round = _checked(_either(per_round, per_30_days), "per_round")
        self.per_report = _checked(_either(per_report, self.per_round), "per_report")

    @classmethod
    def of(cls, limit: float | EpsilonLimit) -> EpsilonLimit:
        """Return `limit`; a number bounds reports, rounds and 30 days alike."""
        return limit if isinstance(limit, EpsilonLimit) else cls(per_30_days=limit)

    def objection(
        self, epsilon: float, round: str, entries: Iterable[Entry], now: float
    ) -> str | None:
        """Return which limit `epsilon` more would break, or None if it may be spent.

        A clock that jumps back cannot free anything: see `Entry.is_recent`.
        """
        entries = list(entries)
        in_round = sum(one.spent for one in entries if one.round == round)
        in_30_days = sum(one.spent for one in entries if one.is_recent(now))
        for name, spent, limit in (
            ("per_report", 0, self.per_report),
            ("per_round", in_round, self.per_round),
            ("per_30_days", in_30_days, self.per_30_days),
        ):
            if not spent + billionths(epsilon) <= billionths(limit):
                told = f"{spent / BILLION:g} spent and {epsilon:g} asked"
                return f"{name}: {told}, the limit is {limit:g}"
        return None

    def choose(
        self, tiers: Sequence[float], round: str, entries: Iterable[Entry], now: float
    ) -> tuple[int, str | None]:
        """Return the tier of most epsilon that may be spent, or an objection to all of them."""
        entries, objection = list(entries), None
        for tier in sorted(range(len(tiers)), key=lambda tier: -tiers[tier]):
            objection = self.objection(tiers[tier], round, entries, now)
            if objection is None:
                break
        return tier, objection

    def __repr__(self) -> str:
        return (
            f"EpsilonLimit(per_report={self.per_report}, per_round={self.per_round}, "
            f"per_30_days={self.per_30_days})"
        )


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
