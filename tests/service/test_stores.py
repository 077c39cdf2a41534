"""The stores: what becomes of each report of a block, however they are mixed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from harmony.rounds import Round
from harmony.service.ingest.blocks import Block
from harmony.service.ingest.outcomes import NAMES, Outcomes
from harmony.service.stores import Store, open_store
from harmony.service.stores import postgres as postgres_store

from .conftest import SURVEY
from .devices import any_report
from .stored import MALFORMED_TIER, Stored, stored_in


@pytest.fixture
def stored(place: str) -> Iterator[Stored]:
    with stored_in(place) as stored:
        yield stored


def test_every_report_of_a_mixed_block_gets_its_own_outcome(stored: Stored) -> None:
    report = stored.report
    assert stored.commit(report(1), report(2), report(3)) == ["accepted"] * 3
    stored.store.forget(report(3)[:16], [stored.live])
    mixed = {
        report(4, symbol=1): "accepted",
        report(1): "duplicate",
        report(5, tier=MALFORMED_TIER): "malformed",
        report(2, symbol=1): "conflict",
        report(3): "unauthorized",
        report(6): "accepted",
        report(6, symbol=1): "conflict",
    }
    assert stored.commit(*mixed, report(4, symbol=1)) == [*mixed.values(), "duplicate"]
    stored.check(reports=4)


def test_a_closed_round_closes_the_whole_block(stored: Stored) -> None:
    wrong = stored.report(7, tier=MALFORMED_TIER)
    stored.state.catalogue.close(SURVEY.name, "week1")
    assert stored.commit(stored.report(1), wrong) == ["closed", "closed"]
    assert stored.commit(wrong) == ["closed"]
    stored.check(reports=0)


def test_a_block_larger_than_any_buffer_is_taken_whole(stored: Stored) -> None:
    many = [stored.report(device) for device in range(20_000)]
    assert set(stored.commit(*many)) == {"accepted"}
    assert set(stored.commit(*many)) == {"duplicate"}
    stored.check(reports=len(many))


def test_a_round_takes_reports_until_the_moment_that_it_closes(place: str) -> None:
    with stored_in(place, closes=200.0) as stored:
        assert stored.commit(stored.report(1), now=199.5) == ["accepted"]
        assert stored.commit(stored.report(2), stored.report(1), now=200.0) == ["closed"] * 2
        stored.check(reports=1)


def test_blocks_are_added_in_the_order_of_their_rounds_and_told_in_their_own(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = stored.live
    later = replace(live, id=live.id + 1, round=Round("later", bytes(16)))
    added: list[int] = []
    add = Store._add

    def recording(self: Store, block: Block, *rest: Any) -> Outcomes:
        added.append(block.round.id)
        return add(self, block, *rest)

    monkeypatch.setattr(Store, "_add", recording)
    blocks = [
        Block(later, later.rows(any_report(later, bytes(16)))),
        Block(live, live.rows(stored.report(1) + stored.report(2))),
    ]
    outcomes = stored.store.commit(blocks, 0.0)
    assert [[NAMES[one] for one in block] for block in outcomes] == [["closed"], ["accepted"] * 2]
    assert added in ([live.id, later.id], [live.id, later.id] * 2)
    stored.check(reports=2)


def test_two_stores_see_each_others_reports_and_removals(stored: Stored) -> None:
    other = Stored(stored.state, open_store(stored.state.database), stored.live)
    report = stored.report
    assert stored.commit(report(1), report(2)) == ["accepted"] * 2
    assert other.commit(report(2), report(3)) == ["duplicate", "accepted"]
    assert stored.commit(report(3, symbol=1), report(4)) == ["conflict", "accepted"]
    assert other.store.forget(report(1)[:16], [stored.live]) == 1
    assert stored.commit(report(1), report(2)) == ["unauthorized", "duplicate"]
    assert stored.store.forget(report(1)[:16], [stored.live]) == 0
    stored.check(reports=3)
    other.store.close()


def test_what_is_read_back_is_every_report_once(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_store, "READ_REPORTS", 7)
    sent = {stored.report(device, symbol=device % 2) for device in range(20)}
    stored.commit(*sent)
    found = [row.tobytes() for rows in stored.store.stored(stored.live) for row in rows]
    assert len(found) == len(sent)
    assert set(found) == sent
