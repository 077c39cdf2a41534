"""Which HTTP protocol uvicorn speaks: with the fast path where it is known to work."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec

import structlog
import uvicorn

from ..settings import Settings
from .route import Ingest

log = structlog.get_logger(__name__)

KNOWN_UVICORN = ("0.54",)
"""The minor versions of uvicorn that the tests of the fast path have run on."""


def choose_protocol(ingest: Ingest, settings: Settings) -> type[asyncio.Protocol] | str:
    """Return what uvicorn is to use: with the fast path, or without it if that cannot be used."""
    against = _against_own_protocol()
    if against:
        log.warning("single reports take the ordinary route", because=against)
        return "h11"  # uvicorn's other protocol reads the bodies of upgrades as requests
    if settings.cors_origins:
        because = "'cors_origins' needs a layer that adds headers to every response"
        log.info("single reports take the ordinary route", because=because)
        from .connection import HttpConnection

        return HttpConnection
    from .fast_path import protocol_for

    return protocol_for(ingest, settings.trusted_proxies)


def _against_own_protocol() -> str:
    """Return why the protocols that build on uvicorn's cannot be used, if they cannot."""
    if find_spec("httptools") is None:
        return "httptools is not installed"
    if uvicorn.__version__.rpartition(".")[0] not in KNOWN_UVICORN:
        known = ", ".join(KNOWN_UVICORN)
        return f"they are known to work with uvicorn {known}, and this is {uvicorn.__version__}"
    return ""
