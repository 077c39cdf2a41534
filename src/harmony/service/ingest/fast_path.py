"""Uvicorn's HTTP protocol, with a short cut for devices' reports.

A report that has come in whole needs nothing to run in the background: it is handed to the writer
as it is read, and its response is one write when it is committed.  That spares the request a task
with its switches, a scope, and the making of headers that are always the same.

The parser is uvicorn's.  What it says of a request that may be such a report is held back until the
request is whole.  If it does not become whole at once, or is unusual, it is passed on, and uvicorn
and the application see the request as any other.  This builds on parts of uvicorn that may change:
`http.choice` says on which versions it is used.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.flow_control import CLOSE_HEADER
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from ..asgi import SPOKEN, Headers, Response, client_of
from ..credentials import is_device
from ..http.connection import HttpConnection
from ..http.guarded import encoded
from ..rate_limit import network_of
from .decision import ReportRequest
from .responses import RESPONSES, response_to
from .route import Ingest, survey_in


class EncodedResponses:
    """The bytes of the responses to reports that are as they should be, under uvicorn's headers."""

    def __init__(self) -> None:
        self._headers: Headers | None = None
        self._bytes: dict[int, bytes] = {}

    def get(self, outcome: int, headers: Headers) -> bytes | None:
        """Return the whole response; None if the outcome is a refusal."""
        if headers is not self._headers:  # uvicorn makes new ones when the date changes
            self._headers = headers
            self._bytes = {one: encoded(sent, headers) for one, sent in RESPONSES.items()}
        return self._bytes.get(outcome)


class ReportProtocol(HttpConnection):
    """One connection; `ingest` takes its reports."""

    ingest: Ingest
    responses: EncodedResponses
    proxies: ProxyHeadersMiddleware | None
    _held: ReportRequest | None = None
    """A request that is held back."""
    _held_body: bytearray
    """What there is of its body."""

    def begin_request(self) -> None:
        """Hold back what may be a report."""
        self._held, self._held_body = self._report_request(), bytearray()
        if self._held is None:
            super().begin_request()

    def take_body(self, body: bytes) -> None:
        """Hold back the body, too."""
        if self._held is None:
            super().take_body(body)
        else:
            self._held_body += body

    def on_message_complete(self) -> None:
        """Take the report."""
        request, self._held = self._held, None
        if request is None:
            super().on_message_complete()
            return
        request.client, request.body = self._client(), bytes(self._held_body)
        self.cycle = self._running = pending = PendingReport(self, request.survey)
        rest = self.ingest.take(request, pending)
        if rest is not None:
            task = self.loop.create_task(rest)
            task.add_done_callback(self.tasks.discard)
            self.tasks.add(task)

    def data_received(self, data: bytes) -> None:
        """Read what came; a report that is not whole by then is passed on."""
        super().data_received(data)
        if self._held is not None and not self._is_deaf:
            self._held = None
            super().begin_request()
            if self._held_body:
                super().take_body(bytes(self._held_body))

    def _report_request(self) -> ReportRequest | None:
        """Return the request if it is a device's, on a connection that stays, after no other."""
        survey, parser, headers = _survey_in(self.url), self.parser, self._named
        if not (
            survey is not None
            and parser.get_method() == b"POST"
            and self._version == "1.1"
            and parser.should_keep_alive()
            and not parser.should_upgrade()
            and headers.get(b"harmony-protocol", SPOKEN) in (b"", SPOKEN)
            and not self.expect_100_continue
            and not self.flow.write_paused
            and (self.cycle is None or self.cycle.response_complete)
        ):
            return None
        authorization = headers.get(b"authorization", b"")
        if survey is None or not is_device(authorization):
            return None
        return ReportRequest(survey, "", authorization)

    def _client(self) -> str:
        """Return the address that the request came from, through the proxies that are believed."""
        if self.proxies is None:
            return network_of(self.client[0]) if self.client else ""
        scope = {"type": "http", "client": self.client, "headers": self.headers, "scheme": "http"}
        with suppress(StopIteration):  # nothing in there waits
            self.proxies(scope, None, None).send(None)  # type: ignore[arg-type]
        return client_of(scope)

    def respond(self, pending: PendingReport, outcome: int) -> None:
        """Respond to a report that was committed."""
        headers = self.server_state.default_headers
        ready = self.responses.get(outcome, headers) if pending.keep_alive else None
        self._write(pending, ready or response_to(outcome))

    def decline(self, pending: PendingReport, raised: Exception) -> None:
        """Respond to a report that was not committed."""
        self._write(pending, self.ingest.refused(pending.survey, raised))

    def _write(self, pending: PendingReport, response: bytes | Response) -> None:
        if self.transport.is_closing():
            return
        if not isinstance(response, bytes):
            headers = self.server_state.default_headers
            closing = [] if pending.keep_alive else [CLOSE_HEADER]
            response = encoded(response, [*headers, *closing])
        self.transport.write(response)
        pending.response_complete = True
        if not pending.keep_alive:
            self.transport.close()
        self.on_response_complete()


class PendingReport(RequestResponseCycle):
    """A report that waits for its commit: a request to uvicorn, a future to the writer."""

    message_event = asyncio.Event()
    more_body = False

    def __init__(self, protocol: ReportProtocol, survey: str) -> None:
        self.survey = survey
        self.disconnected = self.response_complete = False
        self.keep_alive = True
        self._protocol = protocol

    def done(self) -> bool:
        """Whether nobody waits any more."""
        return self.disconnected or self.response_complete

    def set_result(self, outcome: int) -> None:
        """Respond with what became of the report."""
        self._protocol.respond(self, outcome)

    def set_exception(self, raised: Exception) -> None:
        """Respond that the report was not taken."""
        self._protocol.decline(self, raised)


@lru_cache(maxsize=64)
def _survey_in(url: bytes) -> str | None:
    """Return the survey that a URL sends reports to; None if the application is to read it.

    >>> _survey_in(b"/v1/surveys/phones/reports"), _survey_in(b"/v1/surveys/phone%73/reports")
    ('phones', None)
    """
    if not url.isascii() or b"%" in url or b"?" in url:
        return None
    return survey_in(url.decode("ascii"))


async def _nothing(*_: object) -> None:
    """Do nothing: what a layer does to a scope is wanted, and not what comes after it."""


def fast_path_for(ingest: Ingest, proxies: Sequence[str] = ()) -> type[ReportProtocol]:
    """Return the protocol whose reports this route takes."""
    believed = ProxyHeadersMiddleware(_nothing, list(proxies)) if proxies else None
    parts = {"ingest": ingest, "responses": EncodedResponses(), "proxies": believed}
    return type("ReportProtocol", (ReportProtocol,), parts)
