"""Uvicorn's HTTP protocol, with a short way for single reports.

A report that has come in whole needs nothing to run in the background: it is checked and handed to
the writer as it is read, and answered in one write when it is committed.  That spares the request
a task with its switches, a scope, and the making of headers that are always the same.

The parser is uvicorn's.  What it says of a request that may be such a report is held back until the
request is whole; if anything about it is unusual (`Ingest.take_at_once` says no), it is passed on,
and uvicorn and the application see the request as any other.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from ..asgi import Answer, Headers, client_of
from .route import ANSWERS, PREFIX, SUFFIX, Ingest, answer_to
from .writer import OverloadedError

_PREFIX, _SUFFIX = PREFIX.encode(), SUFFIX.encode()
_CLOSE = (b"connection", b"close")


class Answers:
    """The bytes of the answers to reports that are as they should be, under uvicorn's headers."""

    def __init__(self) -> None:
        self._headers: Headers | None = None
        self._bytes: dict[int, bytes] = {}

    def get(self, outcome: int, headers: Headers) -> bytes | None:
        """Return the whole answer; None if the outcome is a refusal."""
        if headers is not self._headers:  # uvicorn makes new ones when the date changes
            self._headers = headers
            self._bytes = {one: _whole(answer, headers) for one, answer in ANSWERS.items()}
        return self._bytes.get(outcome)


class ReportProtocol(HttpToolsProtocol):
    """One connection; `ingest` takes its reports."""

    ingest: Ingest
    answers: Answers
    proxies: ProxyHeadersMiddleware | None
    _held: bytes | None = None
    """What there is of the body of a request that is held back."""

    def on_headers_complete(self) -> None:
        """Hold back what may be a report."""
        if self._may_be_report():
            self._held = b""
        else:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take in a part of the body."""
        if self._held is None:
            super().on_body(body)
        else:
            self._held += body

    def on_message_complete(self) -> None:
        """Take the report at once if that is possible."""
        if self._held is None:
            super().on_message_complete()
            return
        survey = self.url[len(_PREFIX) : -len(_SUFFIX)].decode("ascii")
        waiting = Waiting(self, survey)
        if self.ingest.take_at_once(survey, self.headers, self._client(), self._held, waiting):
            self._held = None
            self.cycle = waiting
        else:
            self._pass_on()
            super().on_message_complete()

    def data_received(self, data: bytes) -> None:
        """Read what came; a report that is not whole by then is passed on."""
        super().data_received(data)
        if self._held is not None:
            self._pass_on()

    def _may_be_report(self) -> bool:
        """Say whether this is a report on a connection that stays, with nobody before it."""
        parser, most = self.parser, self.limit_concurrency
        return (
            self.url.endswith(_SUFFIX)
            and self.url.startswith(_PREFIX)
            and self.url.isascii()
            and parser.get_method() == b"POST"
            and parser.get_http_version() == "1.1"
            and parser.should_keep_alive()
            and not parser.should_upgrade()
            and not self.expect_100_continue
            and not self.flow.write_paused
            and (self.cycle is None or self.cycle.response_complete)
            and (most is None or max(len(self.connections), len(self.tasks)) < most)
        )

    def _client(self) -> str:
        """Return the address that the request came from, through the proxies that are believed."""
        if self.proxies is None:
            return self.client[0] if self.client else ""
        scope = {"type": "http", "client": self.client, "headers": self.headers, "scheme": "http"}
        with suppress(StopIteration):  # nothing in there waits
            self.proxies(scope, None, None).send(None)  # type: ignore[arg-type]
        return client_of(scope)

    def _pass_on(self) -> None:
        """Tell uvicorn what was held back."""
        body, self._held = self._held, None
        super().on_headers_complete()
        if body:
            super().on_body(body)

    def answer(self, waiting: Waiting, outcome: int) -> None:
        """Answer a report that was committed."""
        headers = self.server_state.default_headers
        ready = self.answers.get(outcome, headers) if waiting.keep_alive else None
        self._write(waiting, ready or answer_to(outcome))

    def fail(self, waiting: Waiting, problem: OverloadedError) -> None:
        """Answer a report that was not committed."""
        self._write(waiting, self.ingest.failed(waiting.survey, problem))

    def _write(self, waiting: Waiting, answer: bytes | Answer) -> None:
        if self.transport.is_closing():
            return
        if not isinstance(answer, bytes):
            headers = self.server_state.default_headers
            answer = _whole(answer, headers if waiting.keep_alive else [*headers, _CLOSE])
        self.transport.write(answer)
        waiting.response_complete = True
        if not waiting.keep_alive:
            self.transport.close()
        self.on_response_complete()


class Waiting(RequestResponseCycle):
    """A report that waits for its commit: a request to uvicorn, a future to the writer."""

    message_event = asyncio.Event()

    def __init__(self, protocol: ReportProtocol, survey: str) -> None:
        self.survey = survey
        self.disconnected = self.response_complete = False
        self.keep_alive = True
        self._protocol = protocol

    def done(self) -> bool:
        """Say whether nobody waits any more."""
        return self.disconnected

    def set_result(self, outcome: int) -> None:
        """Answer with what became of the report."""
        self._protocol.answer(self, outcome)

    def set_exception(self, problem: OverloadedError) -> None:
        """Answer that the report was not taken."""
        self._protocol.fail(self, problem)


def _whole(answer: Answer, headers: Headers) -> bytes:
    """Return an answer's bytes, with these headers before its own."""
    start, end = answer
    lines = [b"%s: %s\r\n" % header for header in [*headers, *start["headers"]]]
    return b"".join([STATUS_LINE[start["status"]], *lines, b"\r\n", end["body"]])


async def _nothing(*_: object) -> None:
    """Do nothing: what a layer does to a scope is wanted, and not what comes after it."""


def protocol_for(ingest: Ingest, trusted_proxies: str = "") -> type[ReportProtocol]:
    """Return the protocol whose reports this route takes."""
    proxies = ProxyHeadersMiddleware(_nothing, trusted_proxies) if trusted_proxies else None
    parts = {"ingest": ingest, "answers": Answers(), "proxies": proxies}
    return type("ReportProtocol", (ReportProtocol,), parts)
