"""Rounds of one survey over HTTP, one after the other: estimated alone, together, and compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import harmony as hm
from harmony.service.ingest.packed import MEDIA_TYPE, pack

from .conftest import Service
from .test_dashboard import Visitor

DEVICES = 4_000


def people(shift: float = 0.0) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    return {
        "minutes": np.clip(rng.gamma(3, 10, DEVICES) + shift, 0, 120),
        "wifi": rng.random(DEVICES) < 0.7,
        "theme": np.where(rng.random(DEVICES) < 0.4, "dark", "light"),
    }


def heard(service: Service, survey: hm.Survey, label: str, table: dict[str, Any]) -> hm.Result:
    """Open a round, send what devices would, and return what should be estimated of it."""
    live = service.open(label, survey)
    reports = survey.randomize(table, seed=len(label), round=live.round)
    columns = [reports["device"].to_pylist(), reports["tier"].to_pylist()]
    columns += [reports[f"symbol_{answer}"].to_pylist() for answer in range(survey.answers)]
    width = survey.symbol_bytes
    packed = b"".join(
        device + bytes([tier]) + b"".join(symbol.to_bytes(width, "little") for symbol in symbols)
        for device, tier, *symbols in zip(*columns, strict=True)
    )
    response = service.client.post(
        f"/v1/surveys/{survey.name}/reports",
        content=pack(survey.fingerprint, label, packed, live.size),
        headers=service.bearer("gateway") | {"Content-Type": MEDIA_TYPE},
    )
    assert response.json()["accepted"] == reports.num_rows
    service.state.catalogue.close(survey.name, label)
    return survey.estimate(survey.tally(reports))


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_each_round_of_a_rotation_is_estimated_by_itself(service: Service) -> None:
    """Of all devices, from those whose turn it is: five standard errors, one in a million."""
    survey = hm.Survey("weekly", [hm.Boolean("wifi")], 2.0, every=4)
    table = {"wifi": people()["wifi"]}
    truth, reports = float(table["wifi"].mean()), 0
    for number in range(4):
        expected = heard(service, survey, f"W{number}", table)
        found = service.client.get(
            f"/v1/surveys/weekly/rounds/W{number}/estimates", headers=service.bearer("analyst")
        ).json()
        assert found == expected.to_dict()
        assert 0.2 * DEVICES < found["reports"] < 0.3 * DEVICES
        row = next(row for row in found["estimates"] if row["value"] is True)
        assert abs(row["estimate"] - truth) < 5 * row["stderr"]
        reports += found["reports"]
    assert reports == DEVICES


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_distributions_and_crosstabs_are_compared_over_http_and_on_the_page(
    service: Service,
) -> None:
    """The shift is 20 standard errors of the CDF, and five of them are allowed for the median."""
    survey = hm.Survey(
        "habits",
        [hm.Distribution("minutes", 0, 120), hm.Boolean("wifi"),
         hm.Categorical("theme", ["light", "dark"]), hm.Crosstab("wifi", "theme"),
         hm.Crosstab("theme", hm.Numeric("minutes", 0, 120))],
        epsilon=4.0, answers=1,
    )  # fmt: skip
    expected = hm.compare(
        heard(service, survey, "W1", people()), heard(service, survey, "W2", people(shift=25))
    )
    address = "/v1/surveys/habits/rounds/W2/changes"
    found = service.client.get(f"{address}?since=W1", headers=service.bearer("analyst")).json()
    assert found == expected.to_dict()
    assert "minutes" in found["changed"]
    assert found["left_out"] == []
    median = next(row for row in found["quantiles"] if row["share"] == 0.5)
    assert abs(median["difference"] - 25) < 5 * (median["high"] - median["low"]) / 2
    page = Visitor(service, "analyst").get("/surveys/habits/compare?before=W1&after=W2").text
    for words in ("wifi x theme", "True x dark", "below", "median", "mean for light"):
        assert words in page
    refused = service.client.get(f"{address}?since=W1&stayed=2", headers=service.bearer("analyst"))
    assert refused.status_code == 422
