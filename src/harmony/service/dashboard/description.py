"""The API's description, which anyone may read: for programs, and as a page."""

from __future__ import annotations

from typing import Any

import msgspec
from fastapi import APIRouter, Request, Response

from .access import Anyone, PageRoute
from .rendering import page

router = APIRouter(include_in_schema=False, route_class=PageRoute)


@router.get("/openapi.json")
def description(request: Request) -> Response:
    """Send the description, which is written once."""
    kept = request.app.state
    if not hasattr(kept, "description"):
        kept.description = msgspec.json.encode(request.app.openapi())
    return Response(kept.description, media_type="application/json")


@router.get("/docs")
def docs(request: Request, visitor: Anyone) -> Response:
    """Show the API's description as one page."""
    described = request.app.openapi()
    return page(
        request, "docs.html", visitor=visitor, about=described["info"], rooms=by_tag(described)
    )


def by_tag(description: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the routes of an OpenAPI description, by their tag."""
    rooms: dict[str, list[dict[str, Any]]] = {}
    for path, methods in description["paths"].items():
        for method, route in methods.items():
            bodies = route.get("requestBody", {}).get("content", {})
            shown = {
                "method": method.upper(),
                "path": path,
                "says": route.get("description", ""),
                "parameters": route.get("parameters", []),
                "bodies": {
                    media_type: _fields(content.get("schema", {}), description)
                    for media_type, content in bodies.items()
                },
                "responses": list(route.get("responses", {})),
            }
            rooms.setdefault(route.get("tags", [""])[0], []).append(shown)
    return rooms


def _fields(schema: dict[str, Any], description: dict[str, Any]) -> list[str]:
    """Return the names of the fields that a body has."""
    for branch in schema.get("anyOf", []) + schema.get("oneOf", []):
        schema = schema | branch
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        schema = description["components"]["schemas"][name]
    return list(schema.get("properties", {}))
