"""What needs attention first is said on the first page, and nothing else is."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import harmony as hm
from harmony.service.dashboard import attention
from harmony.service.dashboard.attention import WAIT_SECONDS, about_round
from harmony.service.dashboard.readings import Readings
from harmony.service.ingest.blocks import Block
from harmony.service.stores import open_store
from harmony.tally import Tally

from .conftest import SURVEY, Service
from .devices import any_report
from .test_dashboard import Visitor
from .training import SMALL, create

pytestmark = pytest.mark.parametrize("place", ["sqlite"], indirect=True)

Start = Callable[..., Service]
START = 1.8e9
Usage = namedtuple("Usage", "total used free")  # as shutil has it


@pytest.fixture(autouse=True)
def roomy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the disk of the test is."""
    usage = Usage(100 << 30, 50 << 30, 50 << 30)
    monkeypatch.setattr(attention.shutil, "disk_usage", lambda _: usage)


def said(visitor: Visitor) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = visitor.get("/surveys.json").json()["attention"]
    return found


def test_a_round_that_just_opened_needs_none_and_an_old_one_without_reports_does(
    serve: Start,
) -> None:
    now = [START]
    service = serve(clock=lambda: now[0])
    service.open()
    ada = Visitor(service, "admin")
    assert said(ada) == []
    assert "Nothing needs attention" in ada.get("/surveys").text
    now[0] += WAIT_SECONDS
    (one,) = said(ada)
    assert one["what"] == "phones, round week1: nobody has reported."
    assert one["where"] == "/surveys/phones?round=week1"
    assert "Needs attention" in ada.get("/surveys").text


def test_too_few_reports_are_told_once_a_round_is_closed(service: Service) -> None:
    live = service.open()
    store = open_store(service.state.database)
    reports = b"".join(any_report(live, bytes([n]) * 16) for n in range(3))
    store.commit([Block(live, live.rows(reports))], 0.0)
    store.close()
    service.state.catalogue.close(SURVEY.name, "week1")
    (one,) = said(Visitor(service, "analyst"))
    assert "too few reports to say something about any attribute" in one["what"]


def test_coins_that_are_off_are_told_at_once(service: Service) -> None:
    survey = hm.Survey("chosen", [hm.Boolean("wifi"), hm.Boolean("nfc")], epsilon=1.0)
    service.open(survey=survey)
    entry = service.state.catalogue.survey("chosen")
    latest = entry.rounds["week1"]
    tally = Tally.of(survey, latest.live.round, np.array([2500, 500, 300, 700]), (4000,))
    told = about_round(entry, latest, survey.estimate(tally), latest.opened)
    assert len(told) == 2
    assert all("far " in one and "often than chance would" in one for one in told)


def test_a_server_that_cannot_store_or_has_no_room_says_so_first(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.open()
    service.state.catalogue.close(SURVEY.name, "week1")
    ada = Visitor(service, "admin")
    monkeypatch.setattr(service.state.writer, "probe", lambda: None)  # it would end the trouble
    monkeypatch.setattr(service.state.writer, "trouble", "the last commit failed")
    usage = Usage(100 << 30, 99 << 30, 1 << 29)
    monkeypatch.setattr(attention.shutil, "disk_usage", lambda _: usage)
    told = said(ada)
    assert [one["urgent"] for one in told] == [True, True, False]
    assert "the last commit failed" in told[0]["what"]
    assert "0.5 GB left" in told[1]["what"]
    monkeypatch.setattr(service.state.writer, "trouble", "")
    service.state.metrics.failed_commits.inc(3)
    assert any(one["what"].startswith("3 commits failed") for one in said(ada))


def test_a_step_whose_time_is_over_is_told(serve: Start) -> None:
    now = [START]
    service = serve(clock=lambda: now[0])
    create(service)
    ada = Visitor(service, "admin")
    assert said(ada) == []
    now[0] += 4 * 3600
    told = [one for one in said(ada) if one["where"] == f"/trainings/{SMALL.name}"]
    assert [one["what"].endswith("still waits for devices; its time is over.") for one in told] == [
        True
    ]


def test_a_result_is_the_same_while_its_tally_is(service: Service) -> None:
    live = service.open()
    read = Readings(service.state.catalogue)
    entry = service.state.catalogue.round(SURVEY.name, "week1")
    first = read.result(entry)
    assert read.result(entry) is first
    store = open_store(service.state.database)
    store.commit([Block(live, live.rows(any_report(live, bytes(16))))], 0.0)
    store.close()
    assert read.result(entry).reports == first.reports + 1


def test_attributes_come_in_the_order_of_what_changed(service: Service) -> None:
    survey = hm.Survey("habits", [hm.Boolean("same"), hm.Boolean("other")], epsilon=4.0)
    for label, share in (("one", 0.1), ("two", 0.9)):
        live = service.open(label, survey)
        random = np.random.default_rng(7)
        people = {"same": random.random(2000) < 0.5, "other": random.random(2000) < share}
        tally = survey.collect(people, seed=3)
        with service.state.database.write() as connection:
            from harmony.service import schema

            cells = [
                {"round": live.id, "shard": 0, "cell": cell, "count": int(count)}
                for cell, count in enumerate(tally.counts)
                if count
            ]
            connection.execute(schema.counts.insert(), cells)
            total = {"round": live.id, "shard": 0, "tier": 0, "reports": tally.reports}
            connection.execute(schema.totals.insert().values(total))
        service.state.catalogue.close(survey.name, label)
    ada = Visitor(service, "analyst")

    def order(query: str) -> tuple[int, int]:
        page = ada.get(f"/surveys/habits{query}").text
        return page.index('data-name="same"'), page.index('data-name="other"')

    same, other = order("")
    assert same < other
    same, other = order("?order=changed")
    assert other < same
    page = ada.get("/surveys/habits?order=changed").text
    assert "2 of 2 changed" in page
    assert "no change to be told" in page
    assert 'id="card-1"' in page
    assert ada.get("/surveys/habits?order=odd").status_code == 422
