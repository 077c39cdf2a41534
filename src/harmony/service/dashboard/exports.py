"""The same views for programs: JSON and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

import msgspec
from fastapi import Response

_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


def json_response(document: Any) -> Response:
    """Respond with JSON."""
    content = msgspec.json.format(msgspec.json.encode(document), indent=2)
    return Response(content, media_type="application/json", headers=_HEADERS)


def csv_response(filename: str, content: str) -> Response:
    """Respond with a CSV file to be saved."""
    disposition = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return Response(content, media_type="text/csv", headers=_HEADERS | disposition)


def csv_text(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> str:
    """Write rows as CSV.

    >>> csv_text([{"round": "w1", "devices": 3}], ["round", "devices"])
    'round,devices\\nw1,3\\n'
    """
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()
