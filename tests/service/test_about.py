"""The public page: only where it was asked for, complete, exact, and safe whatever it quotes."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import harmony as hm
from harmony.service.disclosure import odds_of, proofs_of, questions_of
from harmony_device.tables import TOTAL, table_from_document

from .conftest import SURVEY, Service
from .training import SMALL, create, finish

Start = Callable[..., Service]

NASTY = "<script>alert(1)</script> & \"quotes\" 'x' {{ 7 * 7 }} **bold** [a](javascript:alert(1))"
ASKED = hm.Survey(
    "sleep",
    [
        hm.Boolean("rested", question=NASTY),
        hm.Numeric("hours", 0, 14, question="כמה שעות ישנת?"),
        hm.Numeric("screen", 0, 16, bins=4),
        hm.Categorical("<b>mood</b>", ["low", "<i>fair</i>", "good"], question="x" * 400),
        hm.Integer("score", 0, 120),
        hm.Crosstab("rested", "screen"),
        hm.Distribution("minutes", 0, 60, bins=16),
        hm.Text("word", code=hm.TextCode.uniform("abc")).places([""], 2, ["00"]),
        hm.Crosstab("<b>mood</b>", "hours"),
    ],
    tiers=[0.5, 1.0],
    purpose="To see whether <b>reminders</b> help.",
)


def publish(service: Service, survey: hm.Survey = ASKED, **settled: Any) -> Any:
    settled = {"public": "true", **settled}
    path = "/v1/surveys"
    made = service.client.post(
        path, json=survey.to_document(), params=settled, headers=service.admin
    )
    assert made.status_code == 201, made.text
    return service.client.get(f"/v1/surveys/{survey.name}/about").json()


def test_nothing_is_public_unless_an_admin_says_so(service: Service) -> None:
    service.open()
    create(service)
    for kind, name in (("surveys", SURVEY.name), ("trainings", SMALL.name)):
        paths = (f"/about/{name}", f"/v1/{kind}/{name}/about")
        assert [service.client.get(path).status_code for path in paths] == [404, 404]
        change = {"public": True}
        settings = f"/v1/{kind}/{name}/settings"
        assert service.client.patch(settings, json=change, headers=service.admin).is_success
        assert [service.client.get(path).status_code for path in paths] == [200, 200]
        change = {"public": False}
        assert service.client.patch(settings, json=change, headers=service.admin).is_success
        assert [service.client.get(path).status_code for path in paths] == [404, 404]
    assert service.client.get("/v1/surveys/nothing/about").status_code == 404
    assert service.client.get(f"/v1/trainings/{SURVEY.name}/about").status_code == 404


def test_a_deleted_survey_has_no_page_and_its_successor_none_either(service: Service) -> None:
    publish(service)
    path = "/v1/surveys/sleep"
    service.client.delete(path, params={"confirm": "sleep"}, headers=service.admin)
    assert service.client.get("/about/sleep").status_code == 404
    service.client.post("/v1/surveys", json=ASKED.to_document(), headers=service.admin)
    assert service.client.get("/about/sleep").status_code == 404


def test_whatever_a_survey_says_is_shown_as_text(service: Service) -> None:
    publish(service)
    page = service.client.get("/about/sleep")
    assert "<script>alert" not in page.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert "<b>mood" not in page.text
    assert "<i>fair" not in page.text
    assert "<b>reminders" not in page.text
    assert "javascript:" not in re.sub(r">[^<]*<", "><", page.text)  # never in an attribute
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    told = service.client.get("/v1/surveys/sleep/about").json()["questions"]
    assert [one["question"] for one in told[:2]] == [NASTY, "כמה שעות ישנת?"]
    assert 'dir="auto"' in page.text


def test_the_page_says_all_that_was_asked_for(serve: Start) -> None:
    service = serve(operator="Example Ltd, privacy@example.org", public_url="https://x.example")
    about = publish(service, schedule="hourly", retention_days="7")
    page = service.client.get("/about/sleep").text
    assert "Example Ltd, privacy@example.org" in page
    assert about["document"] == "https://x.example/v1/surveys/sleep"
    assert "kept for 7 days after their round was closed" in page
    assert "Up to 720 rounds open in 30 days" in page
    assert "epsilon 720" in page
    assert about["spending"]["warning"] in page
    assert about["spending"]["advice"] not in page  # which is for the operator
    assert "<strong>epsilon 0.5 or 1</strong>" in page
    assert "<strong>2.8 : 1</strong>" in page
    assert about["fingerprint"] in page
    for proof in about["proof"]["tables"]:
        assert str(proof["largest"]) in page
        assert f"{proof['epsilon']:.16f}" in page


def test_the_fingerprint_is_of_the_document_that_devices_get(service: Service) -> None:
    about = publish(service)
    document = service.client.get("/v1/surveys/sleep").content
    assert hashlib.sha256(document).hexdigest() == about["fingerprint"] == ASKED.fingerprint


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("answers", [1, 3])
def test_anyone_can_check_the_proof_from_what_is_published(epsilon: float, answers: int) -> None:
    asked = [hm.Numeric("x", 0, 1), hm.Integer("k", 0, 30), hm.Boolean("b"), hm.Integer("l", 0, 5)]
    survey = hm.Survey("s", asked, epsilon, answers=answers)
    document = survey.to_document()
    proofs = proofs_of(survey.document_bytes)
    used = {one["mechanisms"][0]["table"] for one in document["attributes"]}
    assert {one.table for one in proofs} == used
    for one in proofs:
        table = document["tables"][one.table]
        rows = (
            np.array(table["counts"], object)
            if table["kind"] == "dense"
            else np.array(
                [np.roll(np.array(table["counts"], object), k) for k in range(one.inputs)]
            )
        )
        ratios = [(int(column.max()), int(column.min())) for column in rows.T]
        assert (one.largest, one.smallest) in ratios
        for largest, smallest in ratios:
            assert largest * one.smallest <= one.largest * smallest  # it is the worst
            assert largest * 2**128 <= one.floor * smallest
        assert one.floor <= math.exp(epsilon / answers) * 2**128 * (1 + 1e-12)
        assert one.kept
        assert one.promised == epsilon / answers
        assert one.epsilon <= one.promised
        assert one.epsilon >= math.log(one.largest / one.smallest) - 1e-15


@pytest.mark.parametrize("answers", [1, 2])
def test_with_memory_three_promises_are_proved_of_each_table(answers: int) -> None:
    asked = [hm.Numeric("x", 0, 1), hm.Integer("k", 0, 9), hm.Boolean("b")]
    survey = hm.Survey("s", asked, 1.0, memory=3.0, answers=answers)
    document = survey.to_document()
    assert survey.memory is not None
    assert survey.change is not None
    promised = {
        "one report": 1.0,
        "all reports of an answer that stays": survey.memory,
        "each report of another answer": survey.change,
    }
    proofs = proofs_of(survey.document_bytes)
    used = {one["mechanisms"][0]["table"] for one in document["attributes"]}
    assert {(one.table, one.of) for one in proofs} == {
        (place, of) for place in used for of in promised
    }
    for one in proofs:
        assert one.kept
        assert one.promised == promised[one.of] / answers
        assert math.log(one.largest / one.smallest) - 1e-12 <= one.epsilon <= one.promised
    lying = survey.document_bytes.replace(b'"memory":', b'"memory":0.5,"x":')
    assert [one.kept for one in proofs_of(lying)].count(False) == len(used)


@pytest.mark.parametrize("asked", [hm.Boolean("b"), hm.Integer("k", 0, 9), hm.Numeric("x", 0, 1)])
def test_what_a_report_reveals_with_memory_is_what_a_first_one_does(asked: Any) -> None:
    """Enumerated: each symbol that is kept, replaced or not, under each answer."""
    survey = hm.Survey("s", [asked], 1.0, memory=3.0)
    (question,) = questions_of(survey.document_bytes)
    document = survey.to_document()
    mechanism = document["attributes"][0]["mechanisms"][0]
    table = table_from_document(document["tables"][mechanism["table"]])
    replace = table_from_document(document["tables"][mechanism["replace"]])
    if table.kind == "circulant":
        rows = np.array([np.roll(table.counts, k) for k in range(table.inputs)]) / TOTAL
    else:
        rows = np.array(table.counts) / TOTAL
    if isinstance(asked, hm.Numeric):
        rows = rows[[0, -1]]
    sent = rows * replace.keep / TOTAL + np.array(replace.counts) / TOTAL
    right = sent.max(axis=0).sum() / (2 if isinstance(asked, hm.Numeric) else len(asked.values))
    assert question.revealed is not None
    assert right - 1e-12 <= question.revealed.after <= right + 0.0011


def test_rotation_and_memory_are_part_of_what_is_spent(service: Service) -> None:
    turns = hm.Survey("turns", [hm.Boolean("b")], 1.0, every=12)
    about = publish(service, turns, schedule="hourly")
    assert about["every"] == 12
    assert about["spending"]["epsilon_in_30_days"] == 60
    assert (
        "one of every 12. Who answers those 60 spends up to epsilon 60."
        in (about["spending"]["in_words"])
    )
    kept = hm.Survey("kept", [hm.Boolean("b")], 1.0, memory=2.0)
    about = publish(service, kept, schedule="daily")
    assert about["spending"]["epsilon_in_30_days"] == kept.cost(30).worst
    assert (
        f"epsilon {kept.cost(30).steady:g} if the answer never changes"
        in (about["spending"]["in_words"])
    )
    assert "seldom changes" in about["spending"]["warning"]
    assert about["proof"]["kept"]
    assert "2^106" in about["proof"]["rule"]
    page = service.client.get("/about/kept").text
    assert "remembers a randomised answer" in page
    assert "all reports of an answer that stays" in page
    assert "remembers" not in service.client.get("/about/turns").text


def test_a_table_that_breaks_its_promise_is_said_to(service: Service) -> None:
    survey = hm.Survey("s", [hm.Boolean("b")], epsilon=1.0)
    broken = survey.document_bytes.replace(b'"epsilon":1,', b'"epsilon":0.5,')
    (proof,) = proofs_of(broken)
    assert not proof.kept
    assert proof.epsilon > proof.promised


@pytest.mark.parametrize("values", [2, 3, 5, 16, 40])
def test_the_best_guess_is_right_as_often_as_the_page_says_at_most(values: int) -> None:
    """Enumerated: every row of the code, every symbol, the likeliest value of each."""
    survey = hm.Survey("s", [hm.Integer("k", 0, values - 1)], epsilon=1.0)
    (question,) = questions_of(survey.document_bytes)
    assert question.revealed is not None
    mechanism = survey.mechanisms[0][0]
    table = table_from_document(mechanism.table.to_document())
    right = []
    for row in range(mechanism.code.rows):
        indices = [mechanism.code.index(value, row) for value in range(values)]
        chances = np.zeros((values, table.symbols))
        for value, index in enumerate(indices):
            counts = np.array(table.counts if table.kind == "circulant" else table.counts[index])
            turned = np.roll(counts, index) if table.kind == "circulant" else counts
            chances[value] = turned / TOTAL
        right.append(chances.max(axis=0).sum() / values)
    assert max(right) <= question.revealed.after + 1e-12
    assert max(right) >= question.revealed.after - 0.0011  # and not much is added
    assert question.revealed.before == 1 / values


def test_the_odds_are_rounded_against_us() -> None:
    for epsilon in (0.1, 1.0, 2.0, 8.0, 20.0):
        for one in odds_of(epsilon):
            exact = one.before * math.exp(epsilon) / (one.before * math.expm1(epsilon) + 1)
            assert exact - 1e-12 <= one.after <= min(1.0, exact + 0.0011)


def test_a_training_says_its_facts_and_proves_its_steps(service: Service) -> None:
    create(service, public=True)
    about = service.client.get(f"/v1/trainings/{SMALL.name}/about").json()
    assert [one["name"] for one in about["questions"]] == ["charging", "theme", "wifi"]
    assert about["steps"] == 1
    assert about["proof"]["kept"]
    finish(service)
    later = service.client.get(f"/v1/trainings/{SMALL.name}/about").json()
    assert later["steps"] > 1
    assert len(later["proof"]["tables"]) > len(about["proof"]["tables"])
    assert not later["running"]
    page = service.client.get(f"/about/{SMALL.name}").text
    assert "takes part once" in page


def test_a_survey_with_very_many_attributes_has_a_page_that_is_bounded(service: Service) -> None:
    many = hm.Survey("many", [hm.Boolean(f"a{place}") for place in range(3000)], epsilon=1.0)
    about = publish(service, many)
    assert len(about["questions"]) == 3000
    page = service.client.get("/about/many")
    assert page.status_code == 200
    assert len(page.content) < 1_000_000
    assert "And 2500 more" in page.text


def test_who_is_signed_in_sees_the_same_page(service: Service) -> None:
    publish(service)
    response = service.client.get("/about/sleep")
    assert response.headers["cache-control"] == "no-store"
    assert "Sign out" not in response.text
