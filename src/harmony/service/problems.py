"""Problem documents (RFC 9457): how every refusal looks on the wire."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from typing import Any

import msgspec
import structlog
from sqlalchemy.exc import DataError, SQLAlchemyError

log = structlog.get_logger(__name__)

MEDIA_TYPE = "application/problem+json"

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EMFILE, errno.ENFILE)
"""What a disk says that is full, or may not be written to; or a process with too many files."""

RETRY_SECONDS = 5
"""When a client should try again what the server could not do now."""

TITLES = {
    "malformed": (422, "The request is not in the form that this route takes"),
    "protocol": (400, "The server does not speak this number of the protocol"),
    "bad-request": (400, "The request cannot be read"),
    "unauthorized": (401, "A valid credential is needed"),
    "forbidden": (403, "This credential does not allow that"),
    "not-found": (404, "There is no such thing here"),
    "unknown-survey": (404, "There is no such survey"),
    "unknown-round": (404, "The survey has no such round"),
    "method-not-allowed": (405, "This route does not take that method"),
    "too-slow": (408, "The request took too long to arrive"),
    "conflict": (409, "It conflicts with what is already there"),
    "closed": (410, "The round is not open"),
    "dropped": (410, "The reports were dropped; the tally is there"),
    "too-large": (413, "The request is too large"),
    "unsupported-media-type": (415, "This route does not take that content type"),
    "too-many-requests": (429, "Too many requests; wait before the next"),
    "header-too-large": (431, "The head of the request is too large"),
    "internal": (500, "The server failed; its log says why"),
    "overloaded": (503, "The server cannot take this now; try again later"),
}


class Problem(Exception):  # noqa: N818  # RFC 9457 calls it a problem
    """A refusal: its reason names the status and the title, `detail` says what to do.

    >>> Problem("closed", "round '2026-W46' is closed").document()["status"]
    410
    """

    def __init__(
        self, reason: str, detail: str, *, retry_after: float | None = None, **members: Any
    ) -> None:
        detail = detail.encode(errors="backslashreplace").decode()  # it may quote a bad text
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.status = TITLES[reason][0]
        self.members = members
        self.headers: dict[str, str] = {}
        if retry_after is not None:
            self.headers["Retry-After"] = str(max(1, int(-(-retry_after // 1))))
        if self.status == 401:
            self.headers["WWW-Authenticate"] = "Bearer"

    def document(self) -> Mapping[str, Any]:
        """Return the problem document."""
        status, title = TITLES[self.reason]
        about = {"type": f"/problems/{self.reason}", "title": title, "status": status}
        return about | {"detail": self.detail} | self.members

    def body(self) -> bytes:
        """Return the problem document as JSON."""
        return msgspec.json.encode(self.document())


class OverloadedError(Problem):
    """The server could not do this now, and may if it is asked again."""

    def __init__(self, detail: str) -> None:
        super().__init__("overloaded", detail, retry_after=RETRY_SECONDS)


def problem_of(raised: Exception, path: str) -> Problem:
    """Return the problem that a request to `path` ended with, logged unless it is a refusal.

    >>> problem_of(Problem("closed", "the round is not open"), "/v1/surveys").status
    410
    """
    if isinstance(raised, Problem):
        return raised
    if isinstance(raised, DataError):
        log.warning("the database does not take a value", path=path, problem=str(raised))
        return Problem("malformed", "a text or a number of this request cannot be stored")
    if isinstance(raised, SQLAlchemyError):
        log.error("the database did not respond", path=path, problem=str(raised))
        return OverloadedError("the database does not respond")
    if isinstance(raised, OSError) and raised.errno in _NO_ROOM:
        log.error("there is no room", path=path, problem=str(raised))
        return OverloadedError("the server has no room for this now")
    log.error("request failed", path=path, exc_info=raised)
    return Problem("internal", "something went wrong; it was logged")


def is_of_database(raised: Exception) -> bool:
    """Whether the database itself fails, for everyone, and not what it was asked to store.

    >>> is_of_database(SQLAlchemyError()), is_of_database(DataError("", {}, Exception()))
    (True, False)
    """
    return isinstance(raised, SQLAlchemyError) and not isinstance(raised, DataError)


def reason_for(status: int) -> str:
    """Return the general reason for a status that a library chose."""
    for reason in ("bad-request", "not-found", "method-not-allowed", "unsupported-media-type"):
        if TITLES[reason][0] == status:
            return reason
    for reason, (known, _) in TITLES.items():
        if known == status:
            return reason
    return "internal" if status >= 500 else "bad-request"
