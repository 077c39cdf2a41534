"""Weighting to a population on the server: the estimates that Python makes of the same tallies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import harmony as hm
from harmony.cli.app import app
from harmony.service.dashboard.readings import Readings
from harmony.service.dashboard.weights import weighing_of
from harmony.service.ingest.packed import MEDIA_TYPE
from harmony.service.problems import Problem
from harmony.service.weighting import read_population

from .conftest import Service
from .stratified import POPULATION, QUESTIONS, count_again, habits, new_ids, packed_reports

Start = Callable[..., Service]
SIZES = {"1.x": 300, "2.x": 150, "": 60}
WRONG: tuple[tuple[list[str], str], ...] = (
    (["1.x:0.3", "2.x:0.6"], "must add up to 1, and these add up to 0.9"),
    (["1.x:0.3", "3.x:0.7"], "there is no stratum '3.x'"),
    (["1.x:0.3", "2.X:0.7"], "did you mean '2.x'?"),
    (["1.x:1"], "the share of '2.x' is missing"),
    (["1.x:0.3", "2.x:0.7", "1.x:0"], "'1.x' has two shares"),
    (["1.x:-0.3", "2.x:1.3"], "the share of '1.x' must lie between 0 and 1"),
    (["1.x:nan", "2.x:1"], "the share of '1.x' must lie between 0 and 1"),
    (["1.x:much", "2.x:1"], "the share of '1.x' must lie between 0 and 1"),
    (["0.3"], "must be a stratum and its share"),
    ([":1"], "must be a stratum and its share"),
    (["1.x,:0.3", "2.x:0.7"], "must be a stratum and its share"),
)
"""Shares of the population, and what is said of them."""

ROUND = f"/v1/surveys/{QUESTIONS.name}/rounds/latest"


@pytest.fixture
def service(serve: Start) -> Service:
    return serve(stratum_reports=50)


@pytest.fixture
def devices(service: Service) -> dict[str, list[bytes]]:
    """Devices of two versions, and of none, that have reported."""
    for stratum in ("1.x", "2.x"):
        service.state.tokens.create(stratum, "enrol", stratum=stratum)
    return report(service, SIZES)


def report(service: Service, sizes: dict[str, int], label: str = "week1") -> dict[str, list[bytes]]:
    live = service.open(label, survey=QUESTIONS)
    devices = {name: new_ids(service.state, name, size) for name, size in sizes.items()}
    for place, ids in enumerate(devices.values()):
        people = habits(len(ids), shift=0.4 * place, seed=place)
        sent = service.client.post(
            f"/v1/surveys/{QUESTIONS.name}/reports",
            content=packed_reports(QUESTIONS, live.round, ids, people),
            headers=service.bearer("gateway") | {"Content-Type": MEDIA_TYPE},
        )
        assert sent.json()["accepted"] == len(ids)
    return devices


def get(service: Service, what: str, population: list[str]) -> Any:
    asked = {"population": population}
    return service.client.get(f"{ROUND}/{what}", params=asked, headers=service.bearer("analyst"))


def written(population: dict[str, float]) -> list[str]:
    return [f"{name}:{share}" for name, share in population.items()]


def expected(service: Service, devices: dict[str, list[bytes]]) -> hm.Result:
    """Estimate with Python what a recount of the stored reports gives."""
    tallies = count_again(service.state, QUESTIONS.name, "week1", devices)
    strata = {name: tallies[name] for name in POPULATION}
    return QUESTIONS.estimate(strata, population=POPULATION)


def test_every_question_is_weighed_as_python_weighs_it(
    service: Service, devices: dict[str, list[bytes]]
) -> None:
    found = get(service, "estimates", written(POPULATION)).json()
    strata, left_out = found.pop("strata"), found.pop("left_out")
    assert found == json.loads(json.dumps(expected(service, devices).to_dict()))
    assert strata == [
        {"stratum": name, "share": share, "reports": SIZES[name]}
        for name, share in POPULATION.items()
    ]
    assert (found["reports"], left_out) == (450, 60)
    assert found["population"] == POPULATION
    plain = get(service, "estimates", []).json()
    assert (plain["population"], plain["reports"]) == (None, 510)
    assert "strata" not in plain
    wifi = [
        next(row["estimate"] for row in one["estimates"] if row["value"] is True)
        for one in (found, plain)
    ]
    assert wifi[0] != wifi[1]


def test_weighted_estimates_as_csv_are_pythons(
    service: Service, devices: dict[str, list[bytes]]
) -> None:
    found = get(service, "estimates.csv", ["1.x:30%", "2.x:0.7"])
    assert found.headers["content-type"].startswith("text/csv")
    assert found.text == expected(service, devices).to_csv()


def test_the_tallies_of_strata_go_to_the_command_line(
    service: Service, devices: dict[str, list[bytes]], tmp_path: Path
) -> None:
    for stratum in POPULATION:
        asked = {"stratum": stratum}
        found = service.client.get(f"{ROUND}/tally", params=asked, headers=service.admin)
        (tmp_path / f"{stratum}.tally").write_bytes(found.content)
    (tmp_path / "habits.json").write_bytes(QUESTIONS.document_bytes)
    files = [tmp_path / f"{stratum}.tally" for stratum in POPULATION]
    shares = {str(file): share for file, share in zip(files, POPULATION.values(), strict=True)}
    (tmp_path / "shares.json").write_text(json.dumps(shares))
    words = [str(tmp_path / "habits.json"), *map(str, files)]
    words += ["--population", str(tmp_path / "shares.json"), "--json"]
    said = json.loads(CliRunner().invoke(app, ["estimate", *words]).stdout)
    assert said["estimates"] == get(service, "estimates", written(POPULATION)).json()["estimates"]


def test_shares_that_are_wrong_are_refused_with_the_fix(
    service: Service, devices: dict[str, list[bytes]]
) -> None:
    for given, said in WRONG:
        for what in ("estimates", "estimates.csv"):
            refused = get(service, what, given)
            assert refused.status_code == 422
            assert refused.json()["detail"].startswith("'population': ")
            assert said in refused.json()["detail"]


def test_the_trend_of_a_weighted_page_has_the_rounds_that_can_be_weighted(
    service: Service,
) -> None:
    for stratum in ("1.x", "2.x"):
        service.state.tokens.create(stratum, "enrol", stratum=stratum)
    for label, sizes in (("week1", (60, 60)), ("week2", (60, 3)), ("week3", (60, 70))):
        report(service, dict(zip(("1.x", "2.x"), sizes, strict=True)), label)
        service.state.catalogue.close(QUESTIONS.name, label)
    read, entry = Readings(service.state.catalogue), service.state.catalogue.survey(QUESTIONS.name)
    population, last = read_population(written(POPULATION)), entry.rounds["week3"]
    history = read.weighted_history(entry, last, population, least=50)
    assert [one.result.round for one in history] == ["week1", "week3"]
    assert read.weighted(last, population, 50) is history[-1]
    with pytest.raises(Problem, match=r"3 of '2\.x' reported"):
        read.weighted_history(entry, entry.rounds["week2"], population, least=50)
    shown = weighing_of(entry, entry.rounds["week2"], read, (), 50)
    assert [(row.name, row.reports, row.few) for row in shown.rows] == [
        ("1.x", 60, False), ("2.x", 3, True),
    ]  # fmt: skip


def test_a_small_stratum_is_not_shown_by_itself_but_can_be_joined(service: Service) -> None:
    for stratum in ("at", "ch", "de", "li"):
        service.state.tokens.create(stratum, "enrol", stratum=stratum)
    devices = report(service, {"at": 60, "ch": 49, "de": 80})
    refused = get(service, "estimates", ["at:0.2", "ch:0.3", "de:0.5"])
    assert refused.status_code == 422
    assert "49 of 'ch' reported, and it takes 50" in refused.json()["detail"]
    refused = get(service, "estimates", ["at:0.2", "ch:0", "de:0.5", "li:0.3"])
    assert "nobody of 'li' reported" in refused.json()["detail"]
    asked = {"stratum": "ch"}
    refused = service.client.get(f"{ROUND}/tally", params=asked, headers=service.admin)
    assert refused.status_code == 422
    assert "'stratum': 49 of 'ch' reported" in refused.json()["detail"]
    asked = {"stratum": "cz"}
    refused = service.client.get(f"{ROUND}/tally", params=asked, headers=service.admin)
    assert "there is no stratum 'cz'" in refused.json()["detail"]
    tallies = count_again(service.state, QUESTIONS.name, "week1", devices)
    found = get(service, "estimates", ["at, ch:0.5", "de:0.5"]).json()
    joined = {"at,ch": tallies["at"] + tallies["ch"], "de": tallies["de"]}
    shares = {"at,ch": 0.5, "de": 0.5}
    python = QUESTIONS.estimate(joined, population=shares).to_dict()
    assert found["estimates"] == json.loads(json.dumps(python["estimates"]))
    assert found["strata"][0] == {"stratum": "at,ch", "share": 0.5, "reports": 109}
    without = get(service, "estimates", ["at:0.4", "de:0.6", "ch:0"]).json()
    assert (without["left_out"], without["population"]) == (49, {"at": 0.4, "de": 0.6})
