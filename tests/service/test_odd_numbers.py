"""Numbers that JSON can write and a double cannot hold, or barely: refused in every field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from .conftest import SURVEY, Service
from .exploration import WORDS
from .mutated import ATTRIBUTES
from .training import SMALL

DISTRIBUTION = {"name": "age", "kind": "distribution", "low": 0, "high": 1, "bins": 16}
LISTED = {"name": "listed", "kind": "numeric", "low": 0, "high": 24, "bins": [0, 1, 24]}
DOCUMENTS: dict[str, Any] = {
    "/v1/surveys": {
        "name": "other",
        "epsilon": 1.0,
        "answers": 1,
        "attributes": [*ATTRIBUTES, DISTRIBUTION, LISTED],
    },
    "/v1/trainings": {
        "training": SMALL.to_document() | {"seed": 1, "intervals": 0},
        "step_seconds": 60.0,
        "least": 1,
    },
    "/v1/explorations": {"exploration": WORDS.to_document(), "step_seconds": 60.0, "least": 1},
    f"/v1/surveys/{SURVEY.name}/rounds": {"label": "w2", "number": 5},
    f"/v1/surveys/{SURVEY.name}/shares": {"name": "someone", "days": 3},
    "/v1/tokens": {"name": "someone", "role": "enrol", "days": 1},
    "/v1/keys/rotate": {"grace_days": 90},
}
ODD = (
    "-0.0", "NaN", "1.7976931348623157e308", "1e309", "5e-324", "4294967296", "9007199254740993",
    "1" + "0" * 400, "-" + "9" * 4299, "1" + "0" * 5000,
)  # fmt: skip
MARK = "the number goes here"


def places_of(document: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of numbers, but for those of tables and codes, which are many and alike."""
    if isinstance(document, dict):
        for name, one in document.items():
            if name not in ("tables", "code"):
                yield from places_of(one, (*place, name))
    elif isinstance(document, list):
        for number, one in enumerate(document):
            yield from places_of(one, (*place, number))
    elif isinstance(document, int | float) and not isinstance(document, bool):
        yield place


def with_number(document: Any, place: tuple[Any, ...], number: str) -> str:
    """Return a document as JSON, with this number as it is written at a place."""
    whole = json.loads(json.dumps(document))
    inside = whole
    for one in place[:-1]:
        inside = inside[one]
    inside[place[-1]] = MARK
    return json.dumps(whole).replace(f'"{MARK}"', number)


@pytest.mark.parametrize("path", DOCUMENTS)
def test_no_number_in_any_field_makes_the_server_fail(path: str, service: Service) -> None:
    service.open()
    headers = {**service.admin, "Content-Type": "application/json"}
    for place in places_of(DOCUMENTS[path]):
        for number in ODD:
            body = with_number(DOCUMENTS[path], place, number)
            response = service.client.post(path, content=body, headers=headers)
            assert response.status_code < 500, f"{place}: {number[:20]}: {response.text}"
