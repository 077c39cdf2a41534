"""The device: it visits its server, answers what is open, and resends until it is heard.

What it answers costs epsilon, which `spending` alone spends.
"""

from __future__ import annotations

import os
import time

from .backoff import Backoff, Pauses
from .consent import Consent
from .errors import DeviceError, RefusedError, ServerError
from .identity import Identity, IdentityFile
from .ledger import Entry, Ledger
from .limits import Charge, EpsilonLimit
from .lock import DirectoryLock
from .outbox import Outbox
from .protocol import MOST_BYTES
from .record import Record, snapshot
from .sending import TOO_OLD, Sending
from .server import GONE, Offer, Server, TrainingOffer, retry_after, trouble
from .spending import Spending, objection_to_turn
from .surveys import Surveys
from .transport import HttpTransport
from .visit import Visit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType
    from typing import Any

    from .attributes import Answer
    from .record import Values
    from .step import Step
    from .survey import Survey
    from .transport import Transport

RENEWAL = 30 * 86400.0
"""A credential older than this is renewed, well before a server drops the key it was made with."""

UNUSABLE = 86400.0
"""How long to leave a training alone whose step this device cannot use."""

DEFAULT_PAUSE = 60.0
"""How long to wait for a task if the server does not say."""

NOT_REVIEWED = "not among the documents that this app's authors reviewed"


class Device:
    """One participant, whose whole state is in `directory`.

    `record` says what this app can tell, by name and type (float, int, str or bool), the same
    for all of its users.  A survey that asks for something else is skipped; any other is
    answered, whatever the values are and whether they are there.

    `consent` is True, False or a function that is asked before every request; without it
    nothing is sent, and what was kept is deleted here and at the server.  `epsilon_limit` is
    a number that bounds every report, round and 30 days alike, or an `EpsilonLimit`.
    `surveys`, if given, names the only documents to answer: {name: fingerprint}.

    Several processes may share a directory.  A `Device` itself belongs to one thread.

    >>> device = Device("https://stats.example.org", "/nonexistent/harmony", consent=False,
    ...                 record={"battery": float}, epsilon_limit=4.0)
    >>> device.answer({"battery": 71})
    <Visit: answered 0, accepted 0, waiting 0, trouble: consent is not given>
    """

    def __init__(
        self,
        server: str,
        directory: str | os.PathLike[str],
        *,
        record: Mapping[str, type],
        consent: bool | Callable[[], bool],
        epsilon_limit: float | EpsilonLimit,
        surveys: Mapping[str, str] | None = None,
        key: str | None = None,
        plain_http: bool = False,
        most_document_bytes: int = MOST_BYTES,
        most_waiting_bytes: int = 1 << 20,
        transport: Transport | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.directory = os.path.expanduser(os.fspath(directory))
        self.epsilon_limit = EpsilonLimit.of(epsilon_limit)
        self._record = Record(record)
        self._reviewed = None if surveys is None else dict(surveys)
        self._most_bytes = most_document_bytes
        self._server = Server(
            server.rstrip("/"),
            transport
            or HttpTransport(server, plain_http=plain_http, most_bytes=most_document_bytes),
            most_document_bytes,
        )
        self._key = key
        self._clock = clock
        self._sleep = sleep
        self._lock = DirectoryLock(self.directory)
        self._consent = Consent(self.directory, consent)
        self._identity = IdentityFile(self.directory)
        self._ledger = Ledger(self.directory)
        self._outbox = Outbox(self.directory, most_waiting_bytes)
        self._surveys = Surveys(self.directory, most_document_bytes)
        self._sending = Sending(self._lock, self._ledger, self._outbox, clock)
        self._spending = Spending(
            self.directory, self._lock, self._ledger, self._outbox, self.epsilon_limit, clock
        )
        self._backoff = Backoff(self.directory)
        self._pauses = Pauses(self.directory)

    def answer(self, values: Values, patience: float = 0.0) -> Visit:
        """Answer each open survey once, take part once in each training, and say what happened.

        `values` is a mapping, or a function of an attribute's name; it is read whole for each
        survey and training, whichever attribute the coin asks.  Who has none answers as well.
        Nothing about a value is raised or decides what is sent: `visit.warnings` tells the app's
        developer.  A server that cannot be reached is no error: the visit says so, and the next
        one goes on.  `patience` is how many seconds this call may spend on waiting for further
        attempts, or for a training's task.
        """
        return self._visit({} if values is None else values, patience)

    def send(self, patience: float = 0.0) -> Visit:
        """Send every waiting report, answering nothing new."""
        return self._visit(None, patience)

    def ledger(self) -> list[Entry]:
        """Return what was asked, when, and how much epsilon it spent, oldest first."""
        return self._ledger.entries()

    def status(self) -> dict[str, Any]:
        """Return who this device is, what waits and what was spent: see `status`."""
        from .status import status

        return status(self.directory, self._clock())

    def forget(self) -> bool:
        """Withdraw consent: delete everything but the ledger, and ask the server to delete too.

        Returns whether the server has confirmed; if not, every later visit asks again.
        """
        self._consent.forget(self._clock())
        try:
            self._finish_withdrawals()
        except ServerError:
            return False
        return not self._consent.pending()

    def rejoin(self) -> None:
        """Consent again after `forget`; the next visit enrols under a new identity."""
        self._consent.rejoin()

    def close(self) -> None:
        """Close the connection to the server."""
        self._server.close()

    def __enter__(self) -> Device:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _visit(self, values: Values | None, patience: float) -> Visit:
        visit = Visit()
        while True:
            self._attempt(values, visit)
            pause = visit.next_attempt
            if pause is None or pause > patience:
                break
            patience -= pause
            self._sleep(pause)
        visit.waiting = len(self._outbox.waiting())
        return visit

    def _attempt(self, values: Values | None, visit: Visit) -> None:
        visit.trouble = visit.next_attempt = None
        consented = self._consent.settle(self._clock())
        if remaining := self._backoff.remaining(self._clock()):
            visit.trouble, visit.next_attempt = "the server is left alone for a while", remaining
            return
        try:
            self._finish_withdrawals()
            if not consented:
                raise _NoConsentError
            self._sending.all(self._enrolled, lambda: self._consented_server, visit)
            if values is not None:
                visit.warn(self._record.unknown(values))
                self._answer_all(values, visit)
                self._sending.all(self._enrolled, lambda: self._consented_server, visit)
        except _NoConsentError:
            visit.trouble = "consent is not given"
        except ServerError as problem:
            visit.trouble = str(problem)
            with self._lock:
                visit.next_attempt = self._backoff.failed(self._clock(), problem.retry_after)
        else:
            with self._lock:
                self._backoff.succeeded()

    @property
    def _consented_server(self) -> Server:
        """The server, for every request but a deletion: there only while consent is."""
        if not self._consent.is_given():
            raise _NoConsentError
        return self._server

    def _finish_withdrawals(self) -> None:
        for identity, since in self._consent.pending():
            if identity.server != self._server.url:
                continue
            reply = self._server.delete(identity)
            # 401 may pass, when a server's keys are mended; or it may not, ever.
            given_up = reply.status == 401 and self._clock() - since > TOO_OLD
            if reply.status in (200, 204, 404, 410) or given_up:
                self._consent.confirmed(identity)
            elif reply.status != 401:
                raise trouble(reply, "deletion")

    def _enrolled(self) -> Identity:
        """Return this device's identity, asking for one the first time."""
        with self._lock:
            identity = self._identity.read()
            if identity is not None and identity.server != self._server.url:
                raise DeviceError(
                    f"'directory' belongs to a device of {identity.server}; "
                    "use a directory for each server"
                )
            if identity is not None and abs(self._clock() - identity.renewed) < RENEWAL:
                return identity
            if identity is None:
                identity = self._consented_server.enrol(self._key)
            else:
                identity = self._consented_server.renew(identity)
            identity.renewed = self._clock()
            self._identity.write(identity)
        return identity

    def _answer_all(self, values: Values, visit: Visit) -> None:
        identity = self._enrolled()
        offers, trainings = self._consented_server.offers()
        entries = self.ledger()
        for offer in offers:
            if not offer.is_done(entries):
                self._answer_survey(identity, offer, values, visit)
                entries = self.ledger()
        for training in trainings:
            if not training.is_done(entries):
                self._take_part(identity, training, values, visit)
                entries = self.ledger()
        self._surveys.keep_only({offer.fingerprint for offer in offers})
        with self._lock:
            self._pauses.keep_only({training.name for training in trainings})

    def _download(self, survey: str) -> bytes:
        return self._consented_server.document(survey)

    def _answer_survey(
        self, identity: Identity, offer: Offer, values: Values, visit: Visit
    ) -> None:
        """Answer a survey's open round, unless the document or this app's code forbids it."""
        if not self._is_reviewed(offer.name, offer.fingerprint):
            visit.skipped[offer.name] = NOT_REVIEWED
        elif not offer.is_for(identity):
            visit.skipped[offer.name] = "this device enrolled after the round opened"
        else:
            try:
                survey = self._surveys.of(offer, self._download)
            except RefusedError as problem:
                visit.skipped[offer.name] = str(problem)
                return
            objection = objection_to_turn(survey, offer, identity, self.ledger())
            if objection is not None:
                visit.skipped[offer.name] = objection
            else:
                self._answer_one(identity, offer, survey, survey, survey.read, values, visit)

    def _is_reviewed(self, name: str, fingerprint: str | None = None) -> bool:
        """Whether the app's authors allow this document; a training's cannot be known before."""
        return self._reviewed is None or self._reviewed.get(name) == (fingerprint or "")

    def _take_part(
        self, identity: Identity, training: TrainingOffer, values: Values, visit: Visit
    ) -> None:
        """Ask for a training's step, and answer it if there is one for this device."""
        pause, now = self._pauses.of(training.name), self._clock()
        charge = Charge(training.epsilon)
        objection = self.epsilon_limit.objection(charge, "", self.ledger(), now)
        if not self._is_reviewed(training.name):
            objection = NOT_REVIEWED
        if objection is not None:
            visit.skipped[training.name] = objection
            return
        wait = pause.remaining(now)
        if not wait:
            reply = self._consented_server.task(identity, training.name)
            if reply.status == 200:
                self._answer_step(identity, training, reply.body, values, visit)
                if training.name in visit.skipped:
                    self._pause(pause, UNUSABLE)
            elif reply.status == 204:
                wait = self._pause(pause, retry_after(reply) or DEFAULT_PAUSE)
            elif reply.status not in GONE:
                raise trouble(reply, f"training '{training.name}'")
        if wait:
            visit.skipped[training.name] = f"no task now; to be asked for in {wait:.0f} seconds"
            visit.next_attempt = min(wait, visit.next_attempt or wait)

    def _pause(self, pause: Backoff, seconds: float) -> float:
        with self._lock:
            return pause.told(self._clock(), seconds)

    def _answer_step(
        self,
        identity: Identity,
        training: TrainingOffer,
        content: bytes,
        values: Values,
        visit: Visit,
    ) -> None:
        visit.skipped.pop(training.name, None)
        try:
            step = training.step(content, self._most_bytes)
        except RefusedError as problem:
            visit.skipped[training.name] = str(problem)
        else:
            survey, read = step.survey, lambda of: step.read(of, os.urandom)
            self._answer_one(identity, step, step, survey, read, values, visit)

    def _answer_one(
        self,
        identity: Identity,
        offer: Offer | Step,
        asks: Survey | Step,
        survey: Survey,
        read: Callable[[Values], Sequence[Answer]],
        values: Values,
        visit: Visit,
    ) -> None:
        """Spend epsilon on one report and keep it, or note why not.

        Up to `snapshot` nothing has looked at a value.  After it, nothing that is decided here
        does: the answers go into `randomise`, and the warnings to the app alone.
        """
        objection = self._record.lack(asks.needs)
        if objection is None:
            told = snapshot(values, asks.needs)
            visit.warn(asks.warnings(told))
            objection = self._spending.spend(
                identity, offer, survey, read(told), lambda: self._still(identity)
            )
        if objection is None:
            visit.answered.append((offer.name, offer.round))
        else:
            visit.skipped[offer.name] = objection

    def _still(self, identity: Identity) -> None:
        """Raise an error if consent, or this identity, is gone."""
        kept = self._identity.read()
        if not self._consent.is_given() or kept is None or kept.device != identity.device:
            raise _NoConsentError


class _NoConsentError(DeviceError):
    """Consent ended while a visit was under way."""
