"""Trainings and explorations by a form: what was filled in is created, and only when asked for."""

from __future__ import annotations

import html
from typing import Any

import pytest

from .conftest import Service
from .test_dashboard import Visitor

pytestmark = pytest.mark.parametrize("place", ["sqlite"], indirect=True)

FEATURES = ("attribute_name", "attribute_kind", "attribute_low", "attribute_high")
TRAINING: dict[str, Any] = {
    "name": "charging",
    "epsilon": "2",
    "devices": "20,000",
    "loss": "logistic",
    "evaluation": "10",
    "hours": "2",
    "least": "500",
    "retention_days": "7",
    "public": "yes",
    "attribute_name": ["charging", "battery"],
    "attribute_kind": ["boolean", "mean"],
    "attribute_low": ["0", "0"],
    "attribute_high": ["100", "50"],
}
EXPLORATION: dict[str, Any] = {
    "name": "home-pages",
    "epsilon": "4",
    "devices": "50000",
    "text": "home page",
    "wanted": "16",
    "hours": "1",
    "least": "",
    "retention_days": "30",
}


@pytest.fixture
def ada(service: Service) -> Visitor:
    return Visitor(service, "admin")


def test_a_training_is_created_as_it_was_filled_in(ada: Visitor, service: Service) -> None:
    made = ada.post("/new-training", **TRAINING, wish="create")
    assert (made.status_code, made.headers["location"]) == (303, "/trainings/charging")
    training = ada.get("/trainings/charging/progress.json").json()
    assert training["state"] == "running"
    assert training["step_seconds"] == 7200
    defined = training["training"]
    assert (defined["devices"], defined["epsilon"], defined["evaluation"]) == (20_000, 2.0, 0.1)
    assert (defined["label"]["name"], defined["label"]["values"]) == ("charging", [False, True])
    assert [(one["name"], one["high"]) for one in defined["features"]] == [("battery", 50)]
    settings = service.client.get("/v1/trainings/charging/settings", headers=service.admin).json()
    assert (settings["retention_days"], settings["public"]) == (7, True)
    again = ada.post("/new-training", **TRAINING, wish="create")
    assert again.status_code == 422
    assert "has this name" in again.text


def test_a_training_with_bins_and_crosses_is_created(ada: Visitor) -> None:
    rows = {
        "attribute_name": ["charging", "battery", "wifi"],
        "attribute_kind": ["boolean", "bins", "boolean"],
        "attribute_low": ["0", "0", "0"],
        "attribute_high": ["100", "50", "100"],
        "attribute_bins": ["10", "5", "10"],
        "crosses": "battery x wifi\n",
    }
    assert ada.post("/new-training", **(TRAINING | rows), wish="create").status_code == 303
    features = ada.get("/trainings/charging/progress.json").json()["training"]["features"]
    assert [one["name"] for one in features] == ["battery", "wifi", "battery x wifi"]
    assert features[0]["bins"] == [0, 10, 20, 30, 40, 50]
    wrong = ada.post("/new-training", **(TRAINING | rows | {"crosses": "battery"}), wish="plan")
    assert wrong.status_code == 422
    assert "must be a list of pairs" in html.unescape(wrong.text)


def test_an_exploration_is_created_as_it_was_filled_in(ada: Visitor) -> None:
    made = ada.post("/new-exploration", **EXPLORATION, wish="create")
    assert (made.status_code, made.headers["location"]) == (303, "/explorations/home-pages")
    found = ada.get("/explorations/home-pages/findings.json").json()
    assert found["exploration"]["text"]["name"] == "home page"
    assert found["exploration"]["wanted"] == 16


def test_the_plan_is_shown_before_anything_is_created(ada: Visitor, service: Service) -> None:
    shown = ada.post("/new-training", **TRAINING, wish="plan")
    assert "20,000 devices at epsilon 2 should close" in shown.text
    assert "2,000 of them tell how good the model is" in shown.text
    assert "spends up to epsilon 2" in ada.post("/new-training/plan", **TRAINING).text
    shown = ada.post("/new-exploration", **EXPLORATION, wish="plan")
    assert "of the devices have is found" in shown.text
    assert "in at most" in ada.post("/new-exploration/plan", **EXPLORATION).text
    assert not service.state.catalogue.trainings


def test_features_come_and_go_and_one_stays(ada: Visitor) -> None:
    def names(wish: str, **form: Any) -> int:
        shown = ada.post("/new-training", **{**TRAINING, **form, "wish": wish})
        assert shown.status_code == 200
        return int(shown.text.count('name="attribute_name"'))

    assert names("another") == 3
    three = {name: [*TRAINING[name], "9"] for name in FEATURES}
    assert names("without-2", **three) == 2
    assert names("without-1") == 2
    assert names("without-0") == 2  # what is predicted stays


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"name": ""}, "'name'"),
        ({"epsilon": "-1"}, "epsilon"),
        ({"epsilon": "nan"}, "'epsilon' must be a number"),
        ({"devices": "many"}, "'devices' must be a number"),
        ({"hours": "0"}, "'step_seconds'"),
        ({"hours": "1e300"}, "'step_seconds'"),
        ({"least": "0"}, "'least'"),
        ({"retention_days": "-1"}, "'retention_days'"),
        ({"loss": "absolute"}, "'loss' must be one of"),
        ({"evaluation": "60"}, "'evaluation' must be a share"),
        ({"attribute_name": ["charging", ""]}, "feature 1: 'name' is missing"),
        ({"attribute_name": ["charging", "charging"]}, "two attributes are called"),
        ({"loss": "squared"}, "label"),
    ],
)
def test_what_is_wrong_with_a_training_is_said_by_its_field(
    ada: Visitor, service: Service, form: dict[str, Any], said: str
) -> None:
    shown = ada.post("/new-training", **{**TRAINING, **form, "wish": "create"})
    assert shown.status_code == 422
    assert said in html.unescape(shown.text)
    assert not service.state.catalogue.trainings


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"text": ""}, "name"),
        ({"wanted": "1.5"}, "'wanted' must be an integer"),
        ({"wanted": "0"}, "'wanted' must be an integer"),
        ({"name": "a b"}, "name"),
    ],
)
def test_what_is_wrong_with_an_exploration_is_said_by_its_field(
    ada: Visitor, service: Service, form: dict[str, Any], said: str
) -> None:
    shown = ada.post("/new-exploration", **{**EXPLORATION, **form, "wish": "create"})
    assert shown.status_code == 422
    assert said in html.unescape(shown.text)
    assert not service.state.catalogue.trainings


def test_analysts_create_nothing(service: Service) -> None:
    grace = Visitor(service, "analyst")
    for what in ("training", "exploration"):
        assert grace.get(f"/new-{what}").status_code == 403
        assert grace.post(f"/new-{what}", **TRAINING, wish="create").status_code == 403
        assert f"/new-{what}" not in grace.get(f"/{what}s").text
