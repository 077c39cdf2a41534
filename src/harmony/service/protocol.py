"""Uvicorn's HTTP protocol, with a short way for single reports.

A report that has come in whole needs nothing to run in the background: it is checked and handed to
the writer as it is read, and answered in one write when it is committed.  That spares the request
a task, its switches, and the making of headers that are always the same.  Whatever is unusual
about a request (`Ingest.take_at_once` says no), it goes to the application as any other does.
"""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from .asgi import App, Scope
from .ingest import ANSWERS, Ingest, is_ingest, send_outcome
from .writer import OverloadedError

Headers = list[tuple[bytes, bytes]]


class Answers:
    """The bytes of the answers to reports that are as they should be, under uvicorn's headers."""

    def __init__(self) -> None:
        self._headers: Headers | None = None
        self._bytes: dict[int, bytes] = {}

    def get(self, outcome: int, headers: Headers) -> bytes | None:
        """Return the whole answer; None if the outcome is a refusal."""
        if headers is not self._headers:  # uvicorn makes new ones when the date changes
            self._headers = headers
            self._bytes = {one: _joined(answer, headers) for one, answer in ANSWERS.items()}
        return self._bytes.get(outcome)


def _joined(answer: tuple[dict[str, Any], dict[str, Any]], headers: Headers) -> bytes:
    start, end = answer
    lines = [b"%s: %s\r\n" % header for header in [*headers, *start["headers"]]]
    return b"".join([STATUS_LINE[start["status"]], *lines, b"\r\n", end["body"]])


class ReportProtocol(HttpToolsProtocol):
    """One connection; `ingest` takes its reports."""

    ingest: Ingest
    answers: Answers
    _held: RequestResponseCycle | None = None
    """A request whose body may come with its head."""

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        if app is self.app and cycle.more_body and is_ingest(_scope(cycle)):
            self._held = cycle
        else:
            super()._start_asgi_task(cycle, app)

    def on_message_complete(self) -> None:
        """Take the report at once if that is possible."""
        super().on_message_complete()
        cycle = self._held
        if (
            cycle is not None
            and cycle.keep_alive
            and not cycle.waiting_for_100_continue
            and self.ingest.take_at_once(_scope(cycle), bytes(cycle.body), Waiting(self, cycle))
        ):
            self._held = None
        else:
            self._release()

    def data_received(self, data: bytes) -> None:
        """Read what came; a report that is not yet whole goes the long way."""
        super().data_received(data)
        self._release()

    def _release(self) -> None:
        if self._held is not None:
            cycle, self._held = self._held, None
            super()._start_asgi_task(cycle, self.app)

    def answer(self, cycle: RequestResponseCycle, outcome: int) -> None:
        """Answer a report that was committed."""
        answer = self.answers.get(outcome, cycle.default_headers)
        if answer is None or self.flow.write_paused or not cycle.keep_alive:
            self._answer_at_length(cycle, lambda _, __, send: send_outcome(send, outcome))
        elif not self.transport.is_closing():
            self.transport.write(answer)
            cycle.response_started = cycle.response_complete = True
            self.on_response_complete()

    def fail(self, cycle: RequestResponseCycle, problem: OverloadedError) -> None:
        """Answer a report that was not committed."""
        self._answer_at_length(
            cycle, lambda scope, _, send: self.ingest.failed(scope, send, problem)
        )

    def _answer_at_length(self, cycle: RequestResponseCycle, app: App) -> None:
        super()._start_asgi_task(cycle, app)  # type: ignore[arg-type]  # uvicorn's names for ours


class Waiting:
    """Who waits for a report's commit: a connection, and which of its requests."""

    __slots__ = ("_cycle", "_protocol")

    def __init__(self, protocol: ReportProtocol, cycle: RequestResponseCycle) -> None:
        self._protocol = protocol
        self._cycle = cycle

    def done(self) -> bool:
        """Say whether nobody waits any more."""
        return self._cycle.disconnected

    def set_result(self, outcome: int) -> None:
        """Answer with what became of the report."""
        self._protocol.answer(self._cycle, outcome)

    def set_exception(self, problem: OverloadedError) -> None:
        """Answer that the report was not taken."""
        self._protocol.fail(self._cycle, problem)


def _scope(cycle: RequestResponseCycle) -> Scope:
    return cycle.scope  # type: ignore[return-value]  # uvicorn's names for ours


def protocol_for(ingest: Ingest) -> type[ReportProtocol]:
    """Return the protocol whose reports this route takes."""
    return type("ReportProtocol", (ReportProtocol,), {"ingest": ingest, "answers": Answers()})
