"""The bulk path passes the vectors that every device SDK must pass."""

from __future__ import annotations

import json
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
    """One row, with the vector's device id and random bytes in place of the simulation's own."""
    survey = hm.Survey.from_document(REPORTS["surveys"][case["survey"]])
    ids = np.ascontiguousarray(words(bytes.fromhex(case["device"])).T)
    random = words(bytes.fromhex(case["random"]))
    monkeypatch.setattr(collect, "device_ids", lambda first, count, buffers: ids)
    monkeypatch.setattr(collect, "keystream", lambda key, first, count, buffers: random[:count])
    row = {one.name: pa.array([case["values"].get(one.name)]) for one in survey.attributes}
    row = {
        name: array.cast(pa.string()) if pa.types.is_null(array.type) and missing_text(survey, name)
        else array.cast(pa.float64()) if pa.types.is_null(array.type)
        else array
        for name, array in row.items()
    }  # fmt: skip
    round_ = hm.Round("1", bytes.fromhex(case["seed"]))
    reports = survey.randomize(row, round=round_, tiers=[case["tier"]])
    packed = reports["device"][0].as_py() + bytes([case["tier"]])
    for answer in range(survey.answers):
        packed += reports[f"symbol_{answer}"][0].as_py().to_bytes(survey.symbol_bytes, "little")
    assert packed.hex() == case["report"]


def missing_text(survey: hm.Survey, name: str) -> bool:
    return isinstance(survey.attributes[survey.index(name)].missing, str)
