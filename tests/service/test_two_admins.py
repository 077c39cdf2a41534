"""Two admins, or two servers, at the same thing: neither undoes what the other has done."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from sqlalchemy import text

from harmony.service import state
from harmony.service.problems import Problem

from .conftest import SURVEY, Service
from .training import SMALL, create
from .waiting import STUCK_SECONDS, wait_until

Start = Callable[..., Service]


@pytest.fixture
def two(serve: Start, monkeypatch: pytest.MonkeyPatch) -> tuple[Service, Service]:
    """Two servers on one database, of which the second learns of nothing by itself."""
    monkeypatch.setattr(state, "TICK_SECONDS", 3600)
    return serve(), serve()


def test_a_change_leaves_what_another_server_changed_a_moment_ago(
    two: tuple[Service, Service],
) -> None:
    one, other = two
    one.state.catalogue.add(SURVEY, None, retention=90, public=True)
    other.state.catalogue.reload()
    path = f"/v1/surveys/{SURVEY.name}/settings"
    assert one.client.patch(path, json={"public": False}, headers=one.admin).status_code == 200
    other.state.tokens.reload()
    changed = other.client.patch(path, json={"schedule": "weekly"}, headers=other.admin)
    assert changed.status_code == 200
    assert (changed.json()["public"], changed.json()["schedule"]) == (False, "weekly")
    one.state.catalogue.reload()
    entry = one.state.catalogue.survey(SURVEY.name)
    assert (entry.public, entry.schedule, entry.retention) == (False, "weekly", 90)


def test_a_retention_that_another_server_made_longer_asks_for_the_name_to_become_shorter(
    two: tuple[Service, Service],
) -> None:
    one, other = two
    one.state.catalogue.add(SURVEY, None, retention=30)
    other.state.catalogue.reload()
    path = f"/v1/surveys/{SURVEY.name}/settings"
    longer = one.client.patch(path, json={"retention_days": 90}, headers=one.admin)
    assert longer.status_code == 200
    refused = other.client.patch(path, json={"retention_days": 60}, headers=other.admin)
    assert refused.status_code == 422
    assert "'confirm'" in refused.json()["detail"]


def test_what_another_server_deleted_is_not_changed(two: tuple[Service, Service]) -> None:
    one, other = two
    one.state.catalogue.add(SURVEY, None)
    other.state.catalogue.reload()
    gone = f"/v1/surveys/{SURVEY.name}?confirm={SURVEY.name}"
    assert one.client.delete(gone, headers=one.admin).status_code == 204
    path = f"/v1/surveys/{SURVEY.name}/settings"
    refused = other.client.patch(path, json={"public": True}, headers=other.admin)
    assert refused.status_code == 404
    acts = [one.act for one in other.state.activity.entries()]
    assert "survey changed" not in acts


def test_a_round_that_another_server_has_just_opened_can_be_deleted(
    two: tuple[Service, Service],
) -> None:
    one, other = two
    one.state.catalogue.add(SURVEY, None)
    other.state.catalogue.reload()
    one.open("week1")
    path = f"/v1/surveys/{SURVEY.name}/rounds/week1?confirm=week1"
    assert other.client.delete(path, headers=other.admin).status_code == 204
    entries = {one.act: one.detail for one in other.state.activity.entries()}
    assert entries["round deleted"] == {"was_open": True}


def test_no_round_opens_of_a_survey_that_is_being_deleted(two: tuple[Service, Service]) -> None:
    one, other = two
    one.state.catalogue.add(SURVEY, None)
    other.state.catalogue.reload()
    opened: list[object] = []
    opening = threading.Thread(target=lambda: opened.append(try_to_open(other)))
    with one.state.database.write() as connection:  # what a deletion begins with
        gone = "UPDATE surveys SET deleted = 1, former_name = name, name = 'deleted 1'"
        connection.execute(text(gone))
        opening.start()
        if not one.state.database.is_sqlite:
            waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
            wait_until(lambda: connection.execute(waiting).scalar_one(), "the opening to wait")
    opening.join(STUCK_SECONDS)
    assert opened == ["conflict"]
    with one.state.database.read() as connection:
        assert connection.execute(text("SELECT count(*) FROM rounds")).scalar_one() == 0


def try_to_open(service: Service) -> str:
    """Open a round; return why that was refused."""
    with pytest.raises(Problem) as raised:
        service.state.catalogue.open(SURVEY.name, "week1")
    return raised.value.reason


def test_a_training_that_another_server_deleted_cannot_be_stopped(
    two: tuple[Service, Service],
) -> None:
    one, other = two
    create(one, SMALL)
    other.state.catalogue.reload()
    gone = f"/v1/trainings/{SMALL.name}?confirm={SMALL.name}"
    assert one.client.delete(gone, headers=one.admin).status_code == 204
    with pytest.raises(Problem) as raised:
        other.state.trainings.stop(SMALL.name)
    assert raised.value.reason == "not-found"
    other.state.trainings.advance()
