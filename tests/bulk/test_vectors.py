"""The bulk path passes the vectors that every device SDK must pass."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import harmony as hm
from harmony.arrays import NO_TIERS
from harmony.bulk import collect
from harmony.bulk.backend import backend
from harmony.bulk.fields import Coin
from harmony.questions import parts_of

pytestmark = pytest.mark.usefixtures("either_backend")

VECTORS = Path(__file__).parents[2] / "device" / "vectors"
COINS = json.loads((VECTORS / "coins.json").read_text())
REPORTS = json.loads((VECTORS / "reports.json").read_text())


def words(raw: bytes) -> np.ndarray:
    """Bytes as (n, 2) little-endian words."""
    return np.frombuffer(raw, "<u8").reshape(-1, 2)


@pytest.mark.parametrize("case", COINS["assignments"])
def test_the_bulk_path_assigns_what_the_coin_says(case: dict[str, Any]) -> None:
    ids = np.ascontiguousarray(words(bytes.fromhex(case["device"])).T)
    coin = Coin(
        case["answers"],
        seed=np.frombuffer(bytes.fromhex(case["seed"]), "<u8").astype(np.uint64),
        attribute_by_draw=np.empty(0, np.uint16),
        weights=np.array(case["weights"]),
        rows=np.array([case["rows"]]),
    )
    attribute, row = np.empty((2, case["answers"]), np.uint32)
    backend().assign(ids, coin, NO_TIERS, attribute, row)
    assert np.stack([attribute, row], axis=1).tolist() == case["assigned"]


@pytest.mark.filterwarnings("ignore::harmony.ClippedWarning")
@pytest.mark.parametrize("case", REPORTS["reports"])
def test_the_bulk_path_makes_the_same_reports(
    case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = hm.Survey.from_document(REPORTS["surveys"][case["survey"]])
    row = {name: column(case["values"].get(name), one) for name, one in read(survey).items()}
    assert report_of(survey, case, row, monkeypatch) == case["report"]
    assert report_of(survey, case, row, monkeypatch, as_devices=True) == case["report"]


@pytest.mark.filterwarnings("ignore::harmony.ClippedWarning")
@pytest.mark.parametrize("case", REPORTS["silence"])
def test_whoever_has_no_answer_reports_as_a_device_would(
    case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As objects, whatever they are, and as columns of the type that the one value has."""
    survey = hm.Survey.from_document(REPORTS["surveys"]["silence"])
    values = {name: told(case["values"].get(name)) for name in read(survey)}
    objects = {name: objects_of(value) for name, value in values.items()}
    assert report_of(survey, case, objects, monkeypatch, as_devices=True) == case["report"]
    typed = {name: typed_of(value) for name, value in values.items()}
    assert report_of(survey, case, typed, monkeypatch, as_devices=True) == case["report"]


@pytest.mark.filterwarnings("ignore::harmony.ClippedWarning")
def test_all_of_them_report_so_in_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose columns hold values of all types."""
    survey, cases = hm.Survey.from_document(REPORTS["surveys"]["silence"]), REPORTS["silence"]
    together = {field: "".join(case[field] for case in cases) for field in ("device", "random")}
    (together["seed"],) = {case["seed"] for case in cases}
    table = {
        name: np.concatenate([objects_of(told(case["values"].get(name))) for case in cases])
        for name in read(survey)
    }
    reports = reports_of(survey, together, table, monkeypatch, as_devices=True)
    assert reports == [case["report"] for case in cases]


def read(survey: hm.Survey) -> dict[str, hm.Numeric | hm.Categorical]:
    """What a survey reads, by name."""
    return {part.source: part for one in survey.attributes for part in parts_of(one)}


def report_of(survey: hm.Survey, case: dict[str, Any], *how: Any, **options: Any) -> str:
    (report,) = reports_of(survey, case, *how, **options)
    return report


def reports_of(
    survey: hm.Survey,
    case: dict[str, Any],
    table: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    **options: Any,
) -> list[str]:
    """Reports with the vector's device ids and random bytes in place of the simulation's own."""
    ids = np.ascontiguousarray(words(bytes.fromhex(case["device"])).T)
    random = words(bytes.fromhex(case["random"]))
    monkeypatch.setattr(collect, "device_ids", lambda first, count, buffers: ids)
    monkeypatch.setattr(collect, "keystream", lambda key, first, count, buffers: random[:count])
    round_, tier = hm.Round("1", bytes.fromhex(case["seed"])), case.get("tier", 0)
    reports = survey.randomize(table, round=round_, tiers=[tier] * ids.shape[1], **options)
    return [
        row["device"].hex()
        + bytes([tier]).hex()
        + "".join(
            row[f"symbol_{answer}"].to_bytes(survey.symbol_bytes, "little").hex()
            for answer in range(survey.answers)
        )
        for row in reports.to_pylist()
    ]


def column(value: Any, attribute: hm.Numeric | hm.Categorical) -> pa.Array:
    """A value as an analyst's table has it: missing or not, its column has a type."""
    if value is not None:
        return pa.array([value])
    return pa.nulls(1, pa.string() if isinstance(attribute.missing, str) else pa.float64())


def told(value: Any) -> Any:
    """A value as a program holds it; what is absent is a null in a table."""
    special = value.get("special") if isinstance(value, dict) else None
    return {"nan": math.nan, "infinity": math.inf, "absent": None}[special] if special else value


def objects_of(value: Any) -> np.ndarray:
    objects = np.empty(1, object)
    objects[0] = value
    return objects


def typed_of(value: Any) -> Any:
    """One value as a column of its own type, where Arrow knows that."""
    try:
        return pa.array([value])
    except (pa.ArrowException, UnicodeEncodeError):
        return objects_of(value)
