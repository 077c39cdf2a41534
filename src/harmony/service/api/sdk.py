"""The server's own copy of the JavaScript device SDK, so that a web page needs one line."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, Header, Response

import harmony
from harmony.service.problems import Problem

from .sdk_modules import Module, modules

FOREVER = "public, max-age=31536000, immutable"
A_WHILE = "public, max-age=300"
"""How long a page may go on with the version that it was told before."""

router = APIRouter(tags=["sdk"], prefix="/sdk")


@dataclass(frozen=True)
class Bundle:
    """The SDK as it is served; its version names these bytes and no others."""

    version: str
    content: bytes
    compressed: bytes


@cache
def bundle() -> Bundle | None:
    """Read the SDK, once; it is there if Node was when Harmony was built."""
    try:
        content = files("harmony.service").joinpath("static", "device.js").read_bytes()
    except FileNotFoundError:
        return None
    digest = hashlib.sha256(content).hexdigest()[:12]
    version = f"{harmony.__version__}-{digest}"
    return Bundle(version, content, gzip.compress(content, 9, mtime=0))


@router.get("/device.js", status_code=307, response_class=Response)
def newest() -> Response:
    """Lead to the JavaScript SDK of this server's version: the bundle, or else its modules."""
    built = bundle()
    where = f"/sdk/{built.version}/device.js" if built else modules().address("index.js")
    return Response(status_code=307, headers={"Location": where, "Cache-Control": A_WHILE})


@router.get(
    "/{version}/device.js",
    response_class=Response,
    responses={200: {"content": {"text/javascript": {}}}},
)
def device_js(version: str, accept_encoding: Annotated[str, Header()] = "") -> Response:
    """Serve one version of the JavaScript SDK, an ES module, to be kept for good."""
    found = bundle()
    if found is None or version != found.version:
        raise Problem("not-found", "this server has another version; ask for /sdk/device.js")
    return _script(found, accept_encoding)


@router.get(
    "/{version}/modules/{path:path}",
    response_class=Response,
    responses={200: {"content": {"text/javascript": {}}}},
)
def module_js(version: str, path: str, accept_encoding: Annotated[str, Header()] = "") -> Response:
    """Serve one module of the JavaScript SDK as it is written, to be kept for good."""
    found = modules()
    if version != found.version or path not in found.files:
        raise Problem("not-found", "this server has another version; ask for /sdk/device.js")
    return _script(found.files[path], accept_encoding)


def _script(found: Bundle | Module, accept_encoding: str) -> Response:
    headers = {
        "Cache-Control": FOREVER,
        "Vary": "Accept-Encoding",
        "X-Content-Type-Options": "nosniff",
    }
    if "gzip" not in accept_encoding:
        return Response(found.content, headers=headers, media_type="text/javascript")
    headers["Content-Encoding"] = "gzip"
    return Response(found.compressed, headers=headers, media_type="text/javascript")
