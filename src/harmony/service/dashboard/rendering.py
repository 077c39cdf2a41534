"""Pages from templates, with the headers that keep them to themselves."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from fastapi import Request, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from .assets import asset_url, unused_styles
from .sessions import Visitor

EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
"""The hash of nothing: lets Plotly add an empty style element, which it fills through the DOM."""

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        f"style-src 'self' {EMPTY_STYLE}",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
}

COMPRESSION = 5
"""More would make pages hardly smaller."""


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"asset": asset_url, "unused_styles": unused_styles}
    environment.filters["count"] = lambda number: f"{number:,}"
    environment.filters["moment"] = shown_moment
    environment.filters["short"] = lambda number: f"{number:g}"
    return environment


def shown_moment(seconds: float | None) -> str:
    """Write a time so that people can read it.

    >>> shown_moment(1763164800.0)
    '2025-11-15 00:00 UTC'
    """
    if seconds is None:
        return ""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def fragment(template: str, **values: Any) -> str:
    """Return a template filled in."""
    return _environment().get_template(template).render(**values)


def page(
    request: Request,
    template: str,
    *,
    visitor: Visitor | None = None,
    status: int = 200,
    **values: Any,
) -> Response:
    """Respond with a page."""
    content = fragment(template, visitor=visitor, path=request.url.path, **values)
    return html_response(request, content, status)


def html_response(
    request: Request, content: str, status: int = 200, headers: Mapping[str, str] = HEADERS
) -> Response:
    """Respond with a page, compressed where the browser takes that.

    The length of a compressed page may tell what it holds to somebody who can have it fetched with
    texts of their choice; other sites cannot, because their requests carry no session.
    """
    body, more = content.encode(), {"Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        body = gzip.compress(body, COMPRESSION, mtime=0)
        more["Content-Encoding"] = "gzip"
    return Response(body, status, {**headers, **more}, "text/html; charset=utf-8")
