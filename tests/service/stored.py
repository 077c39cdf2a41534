"""A store with an open round, as the tests of stores use it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from harmony.service.ingest.blocks import Block, LiveRound
from harmony.service.ingest.outcomes import NAMES
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from harmony.service.stores import Store, open_store

from .conftest import SURVEY, recount
from .devices import any_report

MALFORMED_TIER = 9


@dataclass
class Stored:
    """A store and an open round in it."""

    state: ServiceState
    store: Store
    live: LiveRound

    def commit(self, *reports: bytes, now: float = 0.0) -> list[str]:
        """Commit the reports as one block; return what became of each."""
        block = Block(self.live, self.live.rows(b"".join(reports)))
        return [NAMES[outcome] for outcome in self.store.commit([block], now)[0]]

    def report(self, device: int, symbol: int = 0, tier: int = 0) -> bytes:
        """Return a report of a device of this number."""
        return any_report(self.live, device.to_bytes(16, "big"), tier, symbol)

    def check(self, reports: int) -> None:
        """The tally is that of a recount, and of so many reports."""
        tally = self.state.catalogue.tally(self.state.catalogue.round(SURVEY.name, "week1"))
        assert tally == recount(self.state, self.live)
        assert tally.reports == reports


@contextmanager
def stored_in(place: str, closes: float | None = None) -> Iterator[Stored]:
    """Open a round, which closes by itself if it is said when, and a store for it."""
    state = ServiceState(Settings.load(database=place), clock=lambda: 100.0)
    state.catalogue.add(SURVEY, None)
    live = state.catalogue.open(SURVEY.name, "week1", closes).live
    store = open_store(state.database)
    yield Stored(state, store, live)
    store.close()
    state.database.close()
