"""Which HTTP protocol uvicorn speaks: within limits, and with the fast path where that works."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec

import structlog
import uvicorn

from ..ingest.route import Ingest
from ..metrics import Metrics
from ..settings import Settings
from .connections import Connections

log = structlog.get_logger(__name__)

KNOWN_UVICORN = ("0.54",)
"""The minor versions of uvicorn that the tests of the connections and the fast path have run on."""


def choose_protocol(ingest: Ingest, settings: Settings, metrics: Metrics) -> type[asyncio.Protocol]:
    """Return what uvicorn is to use: with the fast path, or without it if that cannot be used."""
    against = _against_httptools()
    if against:
        log.warning("single reports take the ordinary route", because=against)
        from .h11_connection import H11Connection

        return limited(H11Connection, settings, metrics)
    if settings.cors_origins:
        because = "'cors_origins' needs a layer that adds headers to every response"
        log.info("single reports take the ordinary route", because=because)
        from .connection import HttpConnection

        return limited(HttpConnection, settings, metrics)
    from ..ingest.fast_path import fast_path_for

    return limited(fast_path_for(ingest, settings.proxies), settings, metrics)


def limited(
    protocol: type[asyncio.Protocol], settings: Settings, metrics: Metrics
) -> type[asyncio.Protocol]:
    """Return the protocol of connections that keep to these limits, together."""
    limits = {"limits": Connections(settings, metrics), "header_bytes": settings.header_bytes}
    return type(protocol.__name__, (protocol,), limits)


def _against_httptools() -> str:
    """Return why the protocols on httptools cannot be used, if they cannot."""
    if find_spec("httptools") is None:
        return "httptools is not installed"
    if uvicorn.__version__.rpartition(".")[0] not in KNOWN_UVICORN:
        known = ", ".join(KNOWN_UVICORN)
        return f"they are known to work with uvicorn {known}, and this is {uvicorn.__version__}"
    return ""
