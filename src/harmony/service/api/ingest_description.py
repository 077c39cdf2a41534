"""What OpenAPI says of the ingest route, which is not FastAPI's."""

from __future__ import annotations

from typing import Any

from harmony.service.ingest.packed import MEDIA_TYPE
from harmony.service.ingest.route import PREFIX, SUFFIX
from harmony.service.problems import MEDIA_TYPE as PROBLEM

PATH = f"{PREFIX}{{name}}{SUFFIX}"

_REPORT = {
    "type": "object",
    "required": ["round", "report"],
    "properties": {
        "round": {"type": "string", "description": "the round's label"},
        "report": {"type": "string", "description": "the report's bytes in hex"},
    },
}

_RESULT = {
    "type": "object",
    "properties": {
        "result": {"type": "string"},
        "results": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]},
    },
}


def refusal(text: str) -> dict[str, Any]:
    """Describe a problem document."""
    reference = {"$ref": "#/components/schemas/ProblemDocument"}
    return {"description": text, "content": {PROBLEM: {"schema": reference}}}


def _result(text: str) -> dict[str, Any]:
    return {"description": text, "content": {"application/json": {"schema": _RESULT}}}


DESCRIPTION: dict[str, Any] = {
    "post": {
        "tags": ["devices"],
        "summary": "Report",
        "operationId": "report",
        "description": "Send one report (a device), a list of reports or a packed batch (a "
        "gateway). The response comes after the commit; sending the same again is harmless.",
        "security": [{"Device": []}, {"HTTPBearer": []}],
        "parameters": [
            {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"oneOf": [_REPORT, {"type": "array", "items": _REPORT}]}
                },
                MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}},
            },
        },
        "responses": {
            "200": _result("The batch's outcomes, or: the same report was accepted before"),
            "201": _result("Accepted"),
            "401": refusal("No valid credential"),
            "403": refusal("The report is another device's"),
            "404": refusal("No such survey"),
            "408": refusal("The body did not arrive in time"),
            "409": refusal("The device already sent another report in this round"),
            "410": refusal("The round is not open"),
            "413": refusal("The body is too large"),
            "422": refusal("The body or the report is malformed"),
            "429": refusal("Too many requests"),
            "503": refusal("The report could not be committed now"),
        },
    }
}
