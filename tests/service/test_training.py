"""A training runs step by step, and hears each device at most once."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import harmony as hm
from harmony.learn.model import Model
from harmony.service import schema
from harmony.service.training import storage as steps
from harmony_device.step import Step

from .conftest import SURVEY, Service
from .devices import any_report, report_body
from .test_dashboard import Visitor
from .training import (
    RECORD,
    SMALL,
    body_of,
    check_tallies,
    create,
    fill_step,
    finish,
    open_step,
    relearnt,
    report_of,
    task_of,
)
from .waiting import STUCK_SECONDS

Start = Callable[..., Service]
PATH = f"/v1/trainings/{SMALL.name}"


class Clock:
    """A clock that only tests move."""

    def __init__(self) -> None:
        self.now = 1.8e9

    def __call__(self) -> float:
        return self.now


def show(service: Service, path: str = PATH) -> Any:
    response = service.client.get(path, headers=service.bearer("analyst"))
    assert response.status_code == 200
    return response.json()


def test_a_training_with_crosses_is_learned_and_shown(service: Service) -> None:
    written = SMALL.to_document() | {"crosses": [["battery", "theme"]]}
    written["features"].append({"name": "battery", "kind": "numeric", "low": 0, "high": 100})
    body = {"training": written | {"bins": {"battery": 4}, "devices": 1500}, "public": True}
    made = service.client.post("/v1/trainings", json=body, headers=service.admin)
    assert made.status_code == 201, made.text
    device = service.enrol()
    step = Step.from_json(task_of(service, device).content)
    assert ("battery", "number") in step.needs
    finish(service)
    model = Model.from_document(show(service)["model"])
    assert model.training.features[4].name == "battery x theme"
    about = show(service, f"{PATH}/about")
    asked = {one["name"]: one["answer"] for one in about["questions"]}
    assert asked["battery in bins"] == "a number from 0 to 100, in 4 ranges"
    assert asked["battery x theme"].startswith("two answers in one: a number from 0 to 100")
    page = Visitor(service, "analyst").get("/trainings/charging")
    assert page.status_code == 200
    assert "[25, 50) x dark" in page.text


def test_a_training_runs_from_its_first_step_to_its_model(service: Service) -> None:
    create(service)
    offered = service.client.get("/v1/surveys").json()
    trainings = [{"name": "charging", "epsilon": SMALL.epsilon}]
    assert offered == {"protocol": 1, "surveys": [], "trainings": trainings}
    device = service.enrol()
    step = Step.from_json(task_of(service, device).content)
    body = report_body(step.round, report_of(step, device.device))
    assert service.send(device, body, SMALL.name).status_code == 201
    finish(service)
    shown = show(service)
    assert shown["state"] == "finished"
    assert shown["step"] is None
    assert all(one["reports"] >= one["wanted"] for one in shown["steps"])
    assert [one["number"] for one in shown["steps"]] == [one["step"] for one in shown["history"]]
    assert shown["devices"] == sum(one["devices"] for one in shown["history"])
    assert sum(check_tallies(service.state)) == shown["devices"]
    model = Model.from_document(show(service, f"{PATH}/model"))
    assert model.to_document() == shown["model"]
    assert task_of(service, service.enrol()).status_code == 410
    assert service.client.get("/v1/surveys").json()["trainings"] == []


def test_the_same_reports_give_the_same_model_offline(service: Service) -> None:
    create(service)
    finish(service)
    live = service.state.trainings.progress(SMALL.name).trainer
    offline = relearnt(service.state)
    assert offline.step is None
    assert offline.model.to_document() == live.model.to_document()
    assert offline.history == live.history


def test_a_device_takes_part_in_one_step_only(serve: Start) -> None:
    service = serve()
    create(service)
    device = service.enrol()
    first = body_of(service, device)
    assert service.send(device, first, SMALL.name).status_code == 201
    fill_step(service)
    for number, server in enumerate((service, serve()), 1):  # a fresh one must read who reported
        second = body_of(server, device)
        assert second["round"] != first["round"]
        response = server.send(device, second, SMALL.name)
        assert (response.status_code, response.json()["type"]) == (409, "/problems/conflict")
        shown = show(server)
        assert (shown["late"], shown["refused"]) == (0, number)
    other = service.enrol()
    assert service.send(other, body_of(service, other), SMALL.name).status_code == 201
    check_tallies(service.state)


def test_a_replay_is_harmless_and_an_altered_one_refused(service: Service) -> None:
    create(service)
    device = service.enrol()
    body = body_of(service, device)
    kept, symbol = body["report"][:-2], body["report"][-2:]
    altered = body | {"report": kept + ("00" if symbol != "00" else "01")}
    statuses = [service.send(device, one, SMALL.name).status_code for one in (body, body, altered)]
    assert statuses == [201, 200, 409]
    assert check_tallies(service.state) == [1]


def test_a_late_report_is_refused_as_closed_and_counted(service: Service) -> None:
    create(service)
    late = service.enrol()
    body = body_of(service, late)
    fill_step(service)
    response = service.send(late, body, SMALL.name)
    assert (response.status_code, response.json()["type"]) == (410, "/problems/closed")
    packed = service.client.post(
        f"/v1/surveys/{SMALL.name}/reports", json=[body], headers=service.bearer("gateway")
    )
    assert packed.json() == {"results": ["closed"]}
    assert show(service)["late"] == 2
    check_tallies(service.state)


def test_a_step_over_its_deadline_closes_when_it_has_enough(serve: Start) -> None:
    clock = Clock()
    service = serve(clock)
    create(service, step_seconds=100, least=4)
    assert open_step(service.state).wanted > 4
    fill_step(service, reports=3)
    clock.now += 101
    service.state.trainings.advance()
    assert show(service)["step"] == 1
    fill_step(service, reports=1)
    assert show(service)["step"] == 2
    assert check_tallies(service.state) == [4, 0]
    assert open_step(service.state).deadline == clock.now + 100


def test_a_stopped_training_keeps_what_it_has_learnt(service: Service) -> None:
    create(service)
    fill_step(service)
    before = show(service)
    body = body_of(service, device := service.enrol())
    response = service.client.post(f"{PATH}/stop", headers=service.admin)
    assert (response.status_code, response.json()["state"]) == (200, "stopped")
    assert show(service)["model"] == before["model"]
    assert service.send(device, body, SMALL.name).status_code == 410
    assert task_of(service, device).status_code == 410
    again = service.client.post(f"{PATH}/stop", headers=service.admin)
    assert again.json() == response.json()


def test_devices_beyond_those_wanted_are_sent_away_for_longer_and_longer(service: Service) -> None:
    create(service, replace(SMALL, devices=40), step_seconds=100)
    waits: list[int] = []
    for _ in range(100):
        response = task_of(service, service.enrol())
        if response.status_code == 204:
            waits.append(int(response.headers["retry-after"]))
        else:
            assert not waits, "once there are enough, there are enough"
    wanted = open_step(service.state).wanted
    assert wanted < 100 - len(waits) <= 1.3 * wanted + 5
    assert waits == sorted(waits)
    assert waits[-1] >= waits[0] + 50


def test_a_device_that_asks_again_gets_the_same_task(service: Service) -> None:
    create(service)
    device = service.enrol()
    first = task_of(service, device)
    for _ in range(40):
        again = task_of(service, device)
        assert (again.status_code, again.content) == (200, first.content)
    tag = {"If-None-Match": first.headers["etag"]}
    unchanged = service.client.get(f"{PATH}/task", headers=device.headers | tag)
    assert (unchanged.status_code, unchanged.content) == (304, b"")


def test_a_deleted_device_leaves_the_open_step_and_the_closed_ones(service: Service) -> None:
    create(service)
    early, late, stays = service.enrol(), service.enrol(), service.enrol()
    service.send(early, body_of(service, early), SMALL.name)
    fill_step(service)
    model = show(service)["model"]
    bodies = {device: body_of(service, device) for device in (late, stays)}
    for device, body in bodies.items():
        service.send(device, body, SMALL.name)
    before = check_tallies(service.state)
    for device in (early, late):
        assert service.client.delete("/v1/devices/me", headers=device.headers).status_code == 204
    assert check_tallies(service.state) == [one - 1 for one in before]
    assert show(service)["model"] == model  # what was learnt from a randomised report stays
    statuses = [service.send(one, body, SMALL.name).status_code for one, body in bodies.items()]
    assert statuses == [401, 200]


def test_a_server_that_fails_while_it_closes_a_step_closes_it_later(
    serve: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = serve()
    create(service)

    def fail(*_: object) -> None:
        raise RuntimeError("the power went")

    monkeypatch.setattr(steps, "open_step", fail)
    fill_step(service)
    device = service.enrol()  # the step is as it was before, and takes reports
    assert service.send(device, body_of(service, device), SMALL.name).status_code == 201
    assert show(service)["step"] == 1
    monkeypatch.undo()
    restarted = serve()
    restarted.state.trainings.advance()
    assert show(restarted)["step"] == 2
    finish(restarted)
    assert show(service)["model"] == relearnt(service.state).model.to_document()
    check_tallies(service.state)


def test_of_two_servers_one_closes_a_step(serve: Start) -> None:
    servers = [serve(), serve()]
    create(servers[0])
    while True:
        for server in servers:
            server.state.catalogue.reload()
        if (entry := servers[0].state.trainings.training(SMALL.name)).ended is not None:
            break
        step, together = open_step(servers[0].state), threading.Barrier(2)
        fill_step(servers[0], reports=step.wanted - 1)

        def close(server: Service, entry=entry, step=step, together=together) -> None:
            together.wait(STUCK_SECONDS)
            server.state.trainings._close(entry, step)

        threads = [threading.Thread(target=close, args=(one,)) for one in servers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(STUCK_SECONDS)
            assert not thread.is_alive()
    shown = show(servers[1])
    assert [one["step"] for one in shown["history"]] == [one["number"] for one in shown["steps"]]
    assert shown["model"] == relearnt(servers[0].state).model.to_document()


@pytest.mark.parametrize("damaged", ['{"training": "charging", "told": [{}]}', "this is no JSON"])
def test_a_training_that_cannot_go_on_can_be_stopped_and_holds_up_no_other(
    service: Service, damaged: str
) -> None:
    create(service)
    create(service, replace(SMALL, name="other"))
    with service.state.database.write() as connection:
        connection.execute(
            schema.trainings.update()
            .where(schema.trainings.c.survey == service.state.trainings.training(SMALL.name).id)
            .values(trainer=damaged)
        )
    fill_step(service)
    assert service.state.trainings.training(SMALL.name).open_step is not None
    finish(service, "other")
    response = service.client.post(f"{PATH}/stop", headers=service.admin)
    assert response.json()["state"] == "stopped"


def test_surveys_and_trainings_share_their_names(service: Service) -> None:
    create(service)
    taken = hm.Survey(SMALL.name, SURVEY.attributes, epsilon=1.0).definition()
    response = service.client.post("/v1/surveys", json=taken, headers=service.admin)
    assert response.status_code == 409
    body = {"training": SMALL.to_document()}
    assert service.client.post("/v1/trainings", json=body, headers=service.admin).status_code == 409
    service.open()
    named = {"training": SMALL.to_document() | {"name": SURVEY.name}}
    response = service.client.post("/v1/trainings", json=named, headers=service.admin)
    assert (response.status_code, response.json()["type"]) == (409, "/problems/conflict")


def test_a_training_takes_its_rounds_from_nobody(service: Service) -> None:
    create(service)
    path, label = f"/v1/surveys/{SMALL.name}", open_step(service.state).live.round.label
    for response in (
        service.client.post(f"{path}/rounds", json={"label": "x"}, headers=service.admin),
        service.client.post(f"{path}/rounds/{label}/close", headers=service.admin),
        service.client.get(path),
    ):
        assert (response.status_code, response.json()["type"]) == (404, "/problems/unknown-survey")


def test_a_step_is_read_like_any_round(service: Service) -> None:
    create(service)
    fill_step(service)
    path = f"/v1/surveys/{SMALL.name}/rounds/{SMALL.name}:1"
    assert show(service, f"{path}/estimates")["reports"] > 0
    analyst = service.bearer("analyst")
    assert service.client.get(f"{path}/tally", headers=analyst).status_code == 200
    assert service.client.get(f"{path}/reports.parquet", headers=analyst).status_code == 200


def test_a_survey_goes_on_beside_a_training(service: Service) -> None:
    create(service)
    live, device = service.open(), service.enrol()
    assert service.send(device, body_of(service, device), SMALL.name).status_code == 201
    body = report_body("week1", any_report(live, device.device))
    assert service.send(device, body).status_code == 201
    assert service.tally() == service.recount()
    check_tallies(service.state)


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "x" * 49}, "'name' must have at most 48 characters"),
        ({"epsilon": 0}, "'epsilon'"),
        ({"loss": "cubic"}, "'loss' must be one of"),
        ({"devices": 0}, "'devices'"),
        ({"label": {"name": "age", "kind": "numeric", "low": 0, "high": 9}}, "'label'"),
        ({"features": []}, "'features'"),
        ({"batch": 7}, "unknown field 'batch'"),
    ],
)
def test_a_bad_definition_is_refused_with_what_is_wrong(
    change: dict[str, Any], said: str, service: Service
) -> None:
    body = {"training": SMALL.to_document() | change}
    response = service.client.post("/v1/trainings", json=body, headers=service.admin)
    assert response.status_code == 422
    assert said in response.json()["detail"]
    assert service.client.get("/v1/surveys").json()["trainings"] == []


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_only_admins_change_trainings_and_only_devices_get_tasks(service: Service) -> None:
    create(service)
    analyst, device = service.bearer("analyst"), service.enrol()
    body = {"training": SMALL.to_document() | {"name": "other"}}
    assert service.client.post("/v1/trainings", json=body, headers=analyst).status_code == 403
    assert service.client.post(f"{PATH}/stop", headers=analyst).status_code == 403
    assert service.client.get(PATH).status_code == 401
    assert service.client.get(PATH, headers=device.headers).status_code == 401
    for headers in ({}, analyst, {"Authorization": "Harmony " + "0" * 32 + ".1-00"}):
        assert service.client.get(f"{PATH}/task", headers=headers).status_code == 401
    assert task_of(service, device, "nothing").status_code == 404
    entry = service.client.get("/v1/trainings", headers=analyst).json()["trainings"]
    assert [one["name"] for one in entry] == [SMALL.name]


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_task_holds_nothing_but_what_is_public(service: Service) -> None:
    create(service)
    task = json.loads(task_of(service, service.enrol()).content)
    assert set(task) == {
        "format", "training", "step", "survey", "round", "features", "label", "model", "derive",
    }  # fmt: skip
    assert set(task["round"]) == {"label", "seed", "opened", "closes"}
    assert RECORD.keys() == {task["label"]["name"], *(one["name"] for one in task["features"])}
