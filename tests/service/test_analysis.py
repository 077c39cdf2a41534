"""What analysts read: estimates, tallies and the stored reports."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pyarrow.parquet as pq
from typer.testing import CliRunner

import harmony as hm
from harmony.cli import app
from harmony.engines import tally_log
from harmony.service.ingest.packed import MEDIA_TYPE, pack
from harmony.tally import Tally

from .conftest import SURVEY, Service

ROUND = f"/v1/surveys/{SURVEY.name}/rounds/week1"
TRUTH = {"battery": [30.0, 60.0] * 1500, "theme": ["dark"] * 2000 + ["light"] * 1000}
TRUTH["wifi"] = [True] * 1500 + [False] * 1500


def filled(service: Service) -> Tally:
    """Fill the round with a simulated population; return the tally it should have."""
    live = service.open()
    reports = SURVEY.randomize(TRUTH, seed=5, round=live.round)
    columns = [reports["device"].to_pylist(), reports["tier"].to_pylist()]
    columns += [reports[f"symbol_{answer}"].to_pylist() for answer in range(SURVEY.answers)]
    packed = b"".join(device + bytes(rest) for device, *rest in zip(*columns, strict=True))
    response = service.client.post(
        f"/v1/surveys/{SURVEY.name}/reports",
        content=pack(SURVEY.fingerprint, "week1", packed, live.size),
        headers=service.bearer("gateway") | {"Content-Type": MEDIA_TYPE},
    )
    assert response.json()["accepted"] == 3000
    return SURVEY.tally(reports)


def test_estimates_come_with_intervals_as_json_and_as_csv(service: Service) -> None:
    expected = SURVEY.estimate(filled(service))
    headers = service.bearer("analyst")
    found = service.client.get(f"{ROUND}/estimates", headers=headers).json()
    assert found == expected.to_dict()
    assert {"low", "high", "n"} <= set(found["estimates"][0])
    text = service.client.get(f"{ROUND}/estimates.csv", headers=headers)
    assert text.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(text.text)))
    assert [row["attribute"] for row in rows][:1] == ["battery"]
    assert len(rows) == len(found["estimates"])
    latest = service.client.get(
        f"/v1/surveys/{SURVEY.name}/rounds/latest/estimates?confidence=0.9", headers=headers
    ).json()
    assert latest["confidence"] == 0.9


def test_two_rounds_are_compared(service: Service) -> None:
    before = SURVEY.estimate(filled(service))
    service.state.catalogue.close(SURVEY.name, "week1")
    service.open("week2")
    headers = service.bearer("analyst")
    changes = f"/v1/surveys/{SURVEY.name}/rounds/latest/changes"
    found = service.client.get(f"{changes}?since=week1&top=1", headers=headers).json()
    empty = SURVEY.estimate(Tally.empty(SURVEY, hm.Round("week2", bytes(16))))
    assert found == hm.compare(before, empty).to_dict(top=1)
    text = service.client.get(f"{changes}.csv?since=week1", headers=headers).text
    assert text == hm.compare(before, empty).to_csv()
    for query, why in (
        ("since=week2", "a round cannot be compared with itself"),
        ("", "since"),
    ):
        refused = service.client.get(f"{changes}?{query}", headers=headers)
        assert refused.status_code == 422
        assert why in refused.json()["detail"]
    refused = service.client.get(f"{changes}?since=week7", headers=headers)
    assert refused.status_code == 404


def test_rounds_of_two_surveys_are_compared_where_they_ask_the_same(service: Service) -> None:
    filled(service)
    headers = service.bearer("analyst")
    for name, asked in (("more", hm.Boolean("wifi")), ("other", hm.Boolean("nothing"))):
        service.open("week1", hm.Survey(name, [asked], 1.0))
    found = service.client.get(f"{ROUND}/changes?since=week1&of=more", headers=headers).json()
    assert {row["attribute"] for row in found["differences"]} == {"wifi"}
    refused = service.client.get(f"{ROUND}/changes?since=week1&of=other", headers=headers)
    assert refused.status_code == 422
    assert "no attribute of the same name" in refused.json()["detail"]


def test_the_tally_file_is_the_tally(service: Service, tmp_path: Path) -> None:
    expected = filled(service)
    response = service.client.get(f"{ROUND}/tally", headers=service.bearer("analyst"))
    path = tmp_path / "week1.tally"
    path.write_bytes(response.content)
    assert hm.Tally.load(path) == expected


def test_the_exported_reports_count_to_the_same_tally(service: Service, tmp_path: Path) -> None:
    expected = filled(service)
    response = service.client.get(f"{ROUND}/reports.parquet", headers=service.bearer("analyst"))
    path = tmp_path / "reports.parquet"
    path.write_bytes(response.content)
    assert SURVEY.tally(pq.read_table(path)) == expected == service.tally()


def test_a_round_exported_into_a_log_counts_to_the_same_tally(
    service: Service, tmp_path: Path
) -> None:
    expected = filled(service)
    SURVEY.save(tmp_path / "survey.json")
    database = service.state.settings.database
    words = ["export", tmp_path / "survey.json", "--database", database, "-o", tmp_path / "logs"]
    said = CliRunner().invoke(app, [str(word) for word in words])
    assert "3,000 reports" in said.stdout, said.stderr
    assert tally_log(SURVEY, tmp_path / "logs", "week1").tally == expected


def test_a_round_without_reports_still_has_estimates(service: Service) -> None:
    service.open()
    headers = service.bearer("analyst")
    response = service.client.get(f"{ROUND}/estimates", headers=headers)
    assert response.status_code == 200
    assert response.json()["reports"] == 0
    assert service.client.get(f"{ROUND}/estimates.csv", headers=headers).status_code == 200
    assert service.client.get(f"{ROUND}/reports.parquet", headers=headers).status_code == 200


def test_a_round_that_does_not_exist_is_named_so(service: Service) -> None:
    service.open()
    response = service.client.get(
        f"/v1/surveys/{SURVEY.name}/rounds/week9/estimates", headers=service.bearer("analyst")
    )
    assert response.json()["type"] == "/problems/unknown-round"


def test_texts_that_spreadsheets_would_calculate_are_marked_as_text(service: Service) -> None:
    formulas = ['=HYPERLINK("http://x")', "+1+1", "-1+1", "@SUM(1)", "-5"]
    survey = hm.Survey("sheet", [hm.Categorical("=cmd", formulas)], epsilon=1.0)
    service.open("week1", survey)
    path = "/v1/surveys/sheet/rounds/week1/estimates.csv"
    table = service.client.get(path, headers=service.bearer("analyst")).text
    rows = list(csv.DictReader(io.StringIO(table)))
    assert {row["attribute"] for row in rows} == {"'=cmd"}
    assert [row["value"] for row in rows] == [f"'{text}" for text in formulas[:-1]] + ["-5"]
