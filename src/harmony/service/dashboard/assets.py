"""Styles and scripts, under addresses that change with their content, so that they never go stale.

Plotly's script is the one inside the installed `plotly` package: no copy, nothing from elsewhere.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Header, Response

from harmony.service.problems import Problem

PLOTLY = "plotly.min.js"
OWN = (
    "style.css", "theme.js", "live.js", "charts.js", "contents.js", "form.js",
    "icon.svg",
    "be_device.css", "be_device.js",
)  # fmt: skip
FOREVER = "public, max-age=31536000, immutable"

_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class Asset:
    """One file as it is served."""

    name: str
    digest: str
    content: bytes
    compressed: bytes

    @property
    def media_type(self) -> str:
        """What kind of file it is."""
        return _TYPES[self.name.rpartition(".")[2]]


@cache
def asset(name: str) -> Asset:
    """Read a file, once."""
    if name == PLOTLY:
        content = files("plotly").joinpath("package_data", PLOTLY).read_bytes()
    else:
        content = files(__package__).joinpath("static", name).read_bytes()
    digest = hashlib.sha256(content).hexdigest()[:16]
    return Asset(name, digest, content, gzip.compress(content, 9, mtime=0))


def asset_url(name: str) -> str:
    """Return where a file is served.

    >>> asset_url("style.css").startswith("/static/")
    True
    """
    return f"/static/{asset(name).digest}/{name}"


@cache
def unused_styles() -> list[str]:
    """Return the ids of style elements that Plotly would add for maps, which we do not draw.

    It leaves out those that are there already; our policy would refuse them.
    """
    return re.findall(r'getElementById\("([0-9a-f]{64})"\)', asset(PLOTLY).content.decode())


@router.get("/static/{digest}/{name}")
def serve_asset(digest: str, name: str, accept_encoding: str = Header("")) -> Response:
    """Serve a file to be kept for good."""
    if name not in (*OWN, PLOTLY) or asset(name).digest != digest:
        raise Problem("not-found", "there is no such file; reload the page")
    found = asset(name)
    headers = {"Cache-Control": FOREVER, "Vary": "Accept-Encoding"}
    headers["X-Content-Type-Options"] = "nosniff"
    if "gzip" not in accept_encoding:
        return Response(found.content, media_type=found.media_type, headers=headers)
    headers["Content-Encoding"] = "gzip"
    return Response(found.compressed, media_type=found.media_type, headers=headers)
