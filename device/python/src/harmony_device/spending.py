"""Spending: the one place where epsilon is spent, and where reports and memos are drawn.

The order of `spend` is the privacy argument.  Under the directory's lock: the round is looked up
in the ledger (never twice, and with rotation never near another), the owner's limits are asked
(never too much), a memo that is missing is drawn and kept, the epsilon is charged durably, only
then is the report drawn, and it is on disk before it is sent.  A crash between any two steps can
only lose a report that was charged, or leave a memo that the next report is made of.
"""

from __future__ import annotations

import os

from .memos import Memos
from .report import ask, memo_words, randomise
from .rotation import turn_objection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .attributes import Answer
    from .identity import Identity
    from .ledger import Entry, Ledger
    from .limits import EpsilonLimit
    from .lock import DirectoryLock
    from .memos import Memo
    from .outbox import Outbox
    from .server import Offer
    from .step import Step
    from .survey import Survey

NEW_MEMO = "new"
"""The name of a memo that is not drawn yet; others are hexadecimal."""

MOST_TOLD = 20
"""Names that a line of the ledger tells: it is kept for ever, and a document may ask thousands."""


class Spending:
    """Spends the epsilon of one directory, within its owner's limit."""

    def __init__(
        self,
        directory: str,
        lock: DirectoryLock,
        ledger: Ledger,
        outbox: Outbox,
        limit: EpsilonLimit,
        clock: Callable[[], float],
    ) -> None:
        self._lock = lock
        self._ledger = ledger
        self._outbox = outbox
        self._memos = Memos(directory)
        self._limit = limit
        self._clock = clock

    def spend(
        self,
        identity: Identity,
        offer: Offer | Step,
        survey: Survey,
        answers: Sequence[Answer],
        still: Callable[[], None],
    ) -> str | None:
        """Spend epsilon on one report and keep it, or return why not.

        `still` raises an error if consent, or this identity, is gone by now.
        """
        with self._lock:
            still()
            now = self._clock()
            self._ledger.note_clock(now)
            entries = self._ledger.entries()
            if offer.is_done(entries):
                return "already answered"
            objection = objection_to_turn(survey, offer, identity, entries)
            if objection is not None:
                return objection
            if not self._outbox.has_room(offer.name, offer.round, survey.report_bytes):
                return f"{self._outbox.most_bytes} bytes of reports are waiting already"
            memo, objection = self._kept(survey, identity)
            if objection is not None:
                return objection
            name = None if survey.memory is None else NEW_MEMO if memo is None else memo.name
            charges = [survey.charge(tier, name) for tier in range(len(survey.tiers))]
            tier, objection = self._limit.choose(charges, offer.round, entries, now)
            if objection is not None:
                return objection
            asked = ask(survey, offer.seed, identity.device, tier)
            if survey.memory is not None and memo is None:
                memo = self._draw(survey, identity, asked)
            charge = survey.charge(tier, None if memo is None else memo.name)
            names = told([survey.attributes[attribute].name for attribute, _ in asked])
            self._ledger.charge(now, offer.name, offer.round, charge, names, offer.number)
            words = None if memo is None else memo.words
            report = randomise(survey, identity.device, tier, answers, asked, os.urandom, words)
            self._outbox.add(offer.name, offer.round, report, now)
        return None

    def _kept(self, survey: Survey, identity: Identity) -> tuple[Memo | None, str | None]:
        """Return this device's memo, if it has and needs one, or why it cannot have one."""
        if survey.memory is None:
            return None, None
        words = memo_words(survey, ask(survey, b"", identity.device, 0))
        memo = self._memos.read(survey.fingerprint or "", identity.device, words)
        if memo is None and not self._memos.has_room(words):
            return None, f"memos take {self._memos.bytes()} bytes already"
        return memo, None

    def _draw(self, survey: Survey, identity: Identity, asked: Sequence[tuple[int, int]]) -> Memo:
        words = memo_words(survey, asked)
        return self._memos.draw(survey.fingerprint or "", identity.device, words, os.urandom)


def told(names: list[str]) -> list[str]:
    """Return the names that the ledger keeps, and how many more there were.

    >>> told(["wifi"]), told([str(place) for place in range(90)])[-2:]
    (['wifi'], ['19', 'and 70 more'])
    """
    more = len(names) - MOST_TOLD
    return names if more <= 0 else [*names[:MOST_TOLD], f"and {more} more"]


def objection_to_turn(
    survey: Survey, offer: Offer | Step, identity: Identity, entries: Iterable[Entry]
) -> str | None:
    """Return why a device does not answer this round of a survey with rotation, if it does not."""
    if survey.every is None:
        return None
    place = survey.place(identity.device)
    return turn_objection(offer.name, offer.number, survey.every, place, entries)
