"""The same views for programs: JSON and CSV."""

from __future__ import annotations

from typing import Any

import msgspec
from fastapi import Response

_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def json_response(document: Any) -> Response:
    """Respond with JSON."""
    return json_file(json_text(document))


def json_text(document: Any) -> str:
    """Write a document so that people can read it, too."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def json_file(content: str) -> Response:
    """Respond with JSON that is written already."""
    return Response(content, media_type="application/json", headers=_HEADERS)


def csv_response(filename: str, content: str) -> Response:
    """Respond with a CSV file to be saved."""
    disposition = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return Response(content, media_type="text/csv", headers=_HEADERS | disposition)
