"""An exploration runs step by step, hears each device once, and finds what it would offline."""

from __future__ import annotations

from typing import Any

import pytest

from harmony.exploration import Findings
from harmony_device.step import Step

from .conftest import Service
from .devices import report_body
from .exploration import WORDS, create, explored_again, fill_step, finish
from .training import SMALL, check_tallies, open_step, report_of, task_of
from .training import create as create_training

PATH = f"/v1/explorations/{WORDS.name}"


def show(service: Service, path: str = PATH) -> Any:
    response = service.client.get(path, headers=service.bearer("analyst"))
    assert response.status_code == 200, response.text
    return response.json()


def test_an_exploration_runs_from_its_first_step_to_its_strings(service: Service) -> None:
    """At epsilon 6, and 600 devices of which half have a word, noise cannot hide it."""
    create(service)
    assert service.client.get("/v1/surveys").json()["trainings"] == [
        {"name": "words", "epsilon": 6.0}
    ]
    device = service.enrol()
    step = Step.from_json(task_of(service, device, "words").content)
    body = report_body(step.round, report_of(step, device.device, {"word": "the"}))
    assert service.send(device, body, "words").status_code == 201
    finish(service)
    shown = show(service)
    assert shown["state"] == "finished"
    assert shown["devices"] == sum(check_tallies(service.state, "words"))
    found = Findings.from_document(shown["findings"])
    assert [one.text for one in found][:2] == ["the", "and"]
    assert found == explored_again(service.state).findings
    assert "code" not in shown["exploration"]["text"]
    csv = service.client.get(f"{PATH}/findings.csv", headers=service.bearer("analyst"))
    assert csv.text.splitlines()[0] == "string,share,low,high,cut"
    assert task_of(service, service.enrol(), "words").status_code == 410
    assert service.client.get("/v1/surveys").json()["trainings"] == []


def test_a_device_takes_part_in_one_step_only(service: Service) -> None:
    create(service)
    device = service.enrol()
    for status in (201, 409):
        step = Step.from_json(open_step(service.state, "words").document)
        body = report_body(step.round, report_of(step, device.device, {"word": "and"}))
        assert service.send(device, body, "words").status_code == status
        fill_step(service)
    check_tallies(service.state, "words")


def test_trainings_and_explorations_are_kept_apart(service: Service) -> None:
    create(service)
    create_training(service)
    assert [one["name"] for one in show(service, "/v1/explorations")["explorations"]] == ["words"]
    assert [one["name"] for one in show(service, "/v1/trainings")["trainings"]] == [SMALL.name]
    analyst = service.bearer("analyst")
    for path in (
        "/v1/trainings/words",
        "/v1/trainings/words/model",
        f"/v1/explorations/{SMALL.name}",
        f"/v1/explorations/{SMALL.name}/findings.csv",
        "/v1/explorations/nobody",
        f"{PATH}/findings.csv",
    ):
        assert service.client.get(path, headers=analyst).status_code == 404, path
    for path in ("/v1/trainings/words/stop", f"/v1/explorations/{SMALL.name}/stop"):
        assert service.client.post(path, headers=service.admin).status_code == 404
    definition = WORDS.to_document() | {"name": "other"}
    response = service.client.post(
        "/v1/trainings", json={"training": definition}, headers=service.admin
    )
    assert response.status_code == 422


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"text": {"name": ""}}, "name"),
        ({"epsilon": -1}, "epsilon"),
        ({"name": "words/2"}, "name"),
        ({"name": "w" * 60}, "name"),
        ({"never": ["("]}, "never"),
        ({"devices": "many"}, "devices"),
        ({"text": None}, "text"),
    ],
)
def test_a_definition_that_is_wrong_is_refused(
    service: Service, change: dict[str, Any], said: str
) -> None:
    body = {"exploration": WORDS.to_document() | change}
    response = service.client.post("/v1/explorations", json=body, headers=service.admin)
    assert response.status_code == 422
    assert said in response.json()["detail"]


def test_an_exploration_that_is_stopped_has_found_nothing_and_can_be_deleted(
    service: Service,
) -> None:
    create(service, public=True)
    about = service.client.get("/v1/trainings/words/about").json()
    assert about["kind"] == "exploration"
    assert about["proof"]["kept"]
    assert "Texts that many people have" in service.client.get("/about/words").text
    stopped = service.client.post(f"{PATH}/stop", headers=service.admin)
    assert stopped.json()["state"] == "stopped"
    assert show(service)["findings"] is None
    deleted = service.client.delete("/v1/trainings/words?confirm=words", headers=service.admin)
    assert deleted.status_code == 204
    assert show(service, "/v1/explorations") == {"explorations": []}


def test_only_admins_create_and_only_people_read(service: Service) -> None:
    body = {"exploration": WORDS.to_document()}
    analyst = service.bearer("analyst")
    assert service.client.post("/v1/explorations", json=body, headers=analyst).status_code == 403
    assert service.client.get("/v1/explorations").status_code == 401


def test_what_is_done_to_an_exploration_is_called_so(service: Service) -> None:
    create(service)
    settings = f"/v1/trainings/{WORDS.name}/settings"
    longer = service.client.patch(settings, json={"retention_days": 999}, headers=service.admin)
    assert longer.status_code == 409
    assert "training" not in longer.json()["detail"]
    assert service.client.post(f"{PATH}/stop", headers=service.admin).status_code == 200
    over = task_of(service, service.enrol(), WORDS.name)
    assert over.json()["detail"] == "the exploration is over"
