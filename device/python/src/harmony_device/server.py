"""The server, as a device speaks to it: the requests of docs/protocol.md, and nothing else.

Nothing a server sends is believed: each reply is checked for shape before it is used, and one
that is not usable raises ServerError.
"""

from __future__ import annotations

from .errors import RefusedError, ServerError
from .fields import checked_name, checked_number, checked_seed
from .identity import Identity
from .ledger import has_taken_part
from .protocol import MAX_SAFE_INTEGER, MAX_SURVEYS, MOST_BYTES, PROTOCOL
from .strict_json import parse_json, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .ledger import Entry
    from .step import Step
    from .transport import Reply, Transport

GONE = (404, 410)

TAKEN = (200, 201)
NEVER = {403: "forbidden", 409: "conflict", 410: "closed", 413: "too-large", 422: "malformed"}
"""Refusals that no second attempt will change: the report is dropped."""


class Offer:
    """A survey with an open round, as the server lists it."""

    __slots__ = ("enrolled_before", "epsilon", "fingerprint", "name", "number", "round", "seed")

    def __init__(self, listed: Any) -> None:
        opened = listed["round"]
        self.name = checked_name(listed["name"], "name")
        self.fingerprint = _checked_fingerprint(listed["fingerprint"])
        self.epsilon = checked_number(listed["epsilon"], "epsilon")
        self.round = checked_name(opened["label"], "label", "._:-", 64)
        self.seed = checked_seed(opened["seed"])
        self.enrolled_before = opened.get("enrolled_before")
        if self.enrolled_before is not None and not isinstance(self.enrolled_before, str):
            raise RefusedError("'enrolled_before' must be a time")
        self.number = whole(opened.get("number"))
        if self.number is not None and (
            type(self.number) is not int or not 0 <= self.number <= MAX_SAFE_INTEGER
        ):
            raise RefusedError("'number' must be an integer that is zero or more")

    def is_for(self, identity: Identity) -> bool:
        """Whether a device of this enrolment is to answer; times compare as they are written."""
        return self.enrolled_before is None or identity.enrolled < self.enrolled_before

    def is_done(self, entries: Iterable[Entry]) -> bool:
        """Whether this device has answered the round."""
        return any((one.survey, one.round) == (self.name, self.round) for one in entries)


class TrainingOffer:
    """A training that runs, as the server lists it."""

    __slots__ = ("epsilon", "name")

    def __init__(self, listed: Any) -> None:
        self.name = checked_name(listed["name"], "name")
        self.epsilon = checked_number(listed["epsilon"], "epsilon")

    def is_done(self, entries: Iterable[Entry]) -> bool:
        """Whether this device has taken part, in whichever step."""
        return has_taken_part(self.name, entries)

    def step(self, content: bytes, most_bytes: int) -> Step:
        """Read a step as it was downloaded, which must be of this training."""
        from .step import Step

        step = Step.from_json(content, most_bytes)
        if step.name != self.name:
            raise RefusedError("'training' is not the training that was asked for")
        if max(step.survey.tiers) != self.epsilon:
            raise RefusedError("'epsilon' is not the epsilon with which the training is listed")
        return step


class Server:
    """One aggregator, reached through a transport."""

    def __init__(self, url: str, transport: Transport, most_bytes: int = MOST_BYTES) -> None:
        self.url = url
        self._transport = transport
        self._most_bytes = most_bytes

    def enrol(self, key: str | None) -> Identity:
        """Ask for an id and a credential."""
        reply = self._send("POST", "/v1/devices", {} if key is None else {"key": key})
        if reply.status != 201:
            raise trouble(reply, "enrolment")
        return Identity.from_document(self.url, self._json(reply, "enrolment"))

    def renew(self, identity: Identity) -> Identity:
        """Ask for a credential under the server's newest key; without one, keep the old."""
        reply = self._send("POST", "/v1/devices/me", {}, identity)
        if reply.status != 200:
            return identity
        renewed = Identity.from_document(self.url, self._json(reply, "renewal"))
        if renewed.device != identity.device:
            raise ServerError("renewal: the answer is for another device")
        return renewed

    def offers(self) -> tuple[list[Offer], list[TrainingOffer]]:
        """Return the surveys that have an open round, and the trainings that run.

        What is listed in an unusable way is passed over.
        """
        reply = self._send("GET", "/v1/surveys")
        if reply.status != 200:
            raise trouble(reply, "the list of surveys")
        document = self._json(reply, "the list of surveys")
        protocol = document.get("protocol") if isinstance(document, dict) else None
        if protocol is not None and (protocol is True or protocol != PROTOCOL):
            raise ServerError(
                f"the server speaks protocol {protocol!r:.20}, this device {PROTOCOL}"
            )
        surveys = document.get("surveys") if isinstance(document, dict) else None
        if not isinstance(surveys, list):
            raise ServerError("the list of surveys: 'surveys' must be a list")
        trainings = document.get("trainings")
        running = trainings[:MAX_SURVEYS] if isinstance(trainings, list) else []
        return (
            [offer for offer in map(_offer, surveys[:MAX_SURVEYS]) if offer is not None],
            [offer for offer in map(_training_offer, running) if offer is not None],
        )

    def document(self, name: str) -> bytes:
        """Return a survey document, as bytes that nobody has checked yet."""
        reply = self._send("GET", f"/v1/surveys/{name}")
        if reply.status in GONE:
            raise RefusedError(f"the server lists it, but answers {reply.status} for its document")
        if reply.status != 200:
            raise trouble(reply, f"survey '{name}'")
        return reply.body

    def task(self, identity: Identity, training: str) -> Reply:
        """Ask for a training's step.  The reply has it, or says when to ask again."""
        return self._send("GET", f"/v1/trainings/{training}/task", None, identity)

    def report(self, identity: Identity, survey: str, round: str, report: bytes) -> Reply:
        """Hand in a report.  The reply says whether it was accepted, now or before."""
        return self._send(
            "POST",
            f"/v1/surveys/{survey}/reports",
            {"round": round, "report": report.hex()},
            identity,
        )

    def delete(self, identity: Identity) -> Reply:
        """Ask for this device's enrolment and reports to be deleted."""
        return self._send("DELETE", "/v1/devices/me", None, identity)

    def close(self) -> None:
        """Close the connection."""
        self._transport.close()

    def _send(
        self, method: str, path: str, body: Any = None, identity: Identity | None = None
    ) -> Reply:
        import json

        headers = {
            "Accept": "application/json",
            "Harmony-Protocol": str(PROTOCOL),
            "User-Agent": "harmony-ldp-device-python",
        }
        if identity is not None:
            headers["Authorization"] = identity.authorization
        content = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(body).encode()
        return self._transport.request(method, path, headers, content)

    def _json(self, reply: Reply, what: str) -> Any:
        try:
            return parse_json(reply.body, self._most_bytes)
        except RefusedError as refusal:
            raise ServerError(f"{what}: {refusal}") from None


def _checked_fingerprint(fingerprint: object) -> str:
    digits = set("0123456789abcdef")
    if isinstance(fingerprint, str) and len(fingerprint) == 64 and set(fingerprint) <= digits:
        return fingerprint
    raise RefusedError("'fingerprint' must be 64 hexadecimal digits")


def _offer(listed: Any) -> Offer | None:
    try:
        return None if listed["round"] is None else Offer(listed)
    except (KeyError, TypeError, ValueError):
        return None


def _training_offer(listed: Any) -> TrainingOffer | None:
    try:
        return TrainingOffer(listed)
    except (KeyError, TypeError, ValueError):
        return None


def trouble(reply: Reply, what: str) -> ServerError:
    """Return the error for a reply that asks to come back later, with when to."""
    return ServerError(f"{what}: the server answered {reply.status}", retry_after(reply))


def retry_after(reply: Reply) -> float | None:
    """Return how many seconds a server asks to be left alone: it gives a number or a date.

    A date is taken against the server's own clock, where the reply tells it.
    """
    text = reply.headers.get("retry-after", "").strip()
    if text.isdecimal():  # "²" is a digit, and no number
        return float(text[:9])
    from email.utils import parsedate_to_datetime
    from time import time

    def seconds(date: str) -> float:
        return parsedate_to_datetime(date).timestamp()

    try:
        now = seconds(reply.headers["date"]) if "date" in reply.headers else time()
        return max(0.0, seconds(text) - now)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
