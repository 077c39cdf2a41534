"""The state of a running service: its parts, made from settings, started and stopped together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

import structlog
from sqlalchemy.exc import SQLAlchemyError

from .activity import Activity
from .catalogue import Catalogue
from .clock_jumps import STEADY_SECONDS, ClockJumps
from .credentials import Credentials, Holder
from .database import Database
from .enrolment import Enrolment
from .governance import Governance
from .ingest.writer import Writer
from .logs import keep_logs_plain
from .metrics import Metrics
from .problems import Problem
from .rate_limit import RateLimit
from .retention import Retention
from .settings import Settings
from .shares import Shares
from .stores import open_store
from .tokens import ADMIN, Token, Tokens
from .training.lifecycle import Trainings
from .warm_up import start_warm_up

log = structlog.get_logger(__name__)

TICK_SECONDS = 0.5
RELOAD_SECONDS = 5.0
REFRESH_SECONDS = 0.1
"""How often at most reports to rounds that memory lacks make the catalogue be read."""
RETAIN_SECONDS = 2.0
"""How often is looked for reports to be dropped or removed."""
PURGE_SECONDS = 0.05
"""How long removing rows leaves the database to others, between two transactions."""
RESPONSE_SECONDS = 5.0
"""After so long without a response of the database the server is not ready."""
TRAIN_SECONDS = 0.1
"""How often a running training is looked at: its steps close this late at most."""


class ServiceState:
    """Everything that the routes use."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.time) -> None:
        keep_logs_plain()
        self.settings = settings
        self.clock = clock
        self.database = Database(settings.database, settings.database_seconds)
        self.database.migrate()
        self.catalogue = Catalogue(self.database, clock)
        self.governance = Governance(self.database, self.catalogue, clock)
        self.retention = Retention(self.database, clock)
        self.activity = Activity(self.database)
        self.credentials = Credentials(self.database, clock)
        self.tokens = Tokens(self.database, clock)
        self.shares = Shares(self.database, self.catalogue, clock)
        self.enrolment = Enrolment(settings.enrolment, self.database, self.tokens, clock)
        self.metrics = Metrics()
        self.trainings = Trainings(self.database, self.catalogue, self.metrics.arrivals, clock)
        self.address_limit = RateLimit(settings.address_rate, settings.address_burst)
        self.credential_limit = RateLimit(settings.credential_rate, settings.credential_burst)
        self.enrolment_limit = RateLimit(settings.enrolment_rate, settings.enrolment_burst)
        self.reload()
        self.writer = Writer(
            open_store(self.database),
            batch_reports=settings.batch_reports,
            batch_seconds=settings.batch_milliseconds / 1000,
            queue_reports=settings.queue_reports,
            commit_seconds=settings.database_seconds,
            clock=clock,
            metrics=self.metrics,
        )
        self._jumps = ClockJumps(clock)
        self._steady = True
        self._started = False
        self._responded = 0.0
        """When the database last responded to the tick, on the loop's clock."""
        self.stopping = asyncio.Event()
        """Set when the server is told to stop: streams that would go on for ever end."""
        self._tickers: list[asyncio.Task[None]] = []
        self._refresh_lock = asyncio.Lock()
        self._refreshes = 0
        self._refreshed = 0.0

    def reload(self) -> None:
        """Read what another server may have changed."""
        self.catalogue.reload()
        self.credentials.reload()
        self.tokens.reload()

    async def start(self) -> None:
        """Start the writer, the clock, and the warm-up in the background."""
        self.writer.start()
        start_warm_up()
        self._tickers = [
            asyncio.create_task(self._tick()),
            asyncio.create_task(self._train()),
            asyncio.create_task(self._retain()),
        ]
        self._responded = asyncio.get_running_loop().time()
        self._started = True

    async def stop(self) -> None:
        """Stop taking reports, commit those that wait, and close the database."""
        self._started = False
        self.stopping.set()
        for ticker in self._tickers:
            ticker.cancel()
        await self.writer.close()
        self.database.close()

    def trouble(self) -> str:
        """Return why reports cannot be taken now; "" if they can.  It asks nobody, and is quick."""
        if not self._started:
            return "the server is starting or stopping"
        if asyncio.get_running_loop().time() - self._responded > RESPONSE_SECONDS:
            return "the database does not respond"
        return self.writer.trouble

    async def refresh_catalogue(self) -> None:
        """Look for other servers' changes; requests at about the same time share a look."""
        wanted = self._refreshes + 1
        async with self._refresh_lock:
            if self._refreshes < wanted:
                loop = asyncio.get_running_loop()
                await asyncio.sleep(self._refreshed + REFRESH_SECONDS - loop.time())
                self._refreshed = loop.time()
                self._refreshes += 1
                await asyncio.to_thread(self.catalogue.refresh)

    async def _tick(self) -> None:
        """Follow the schedules, and look now and then for other servers' changes."""
        since_reload, failing = 0.0, False
        while True:
            try:
                await asyncio.to_thread(self.catalogue.refresh)
                self._responded = asyncio.get_running_loop().time()
                if self._is_steady():
                    for opened in await asyncio.to_thread(self.catalogue.follow_schedules):
                        log.info("round opened on schedule", round=opened)
                if since_reload >= RELOAD_SECONDS:
                    since_reload = 0.0
                    await asyncio.to_thread(self.reload)
                failing = False
            except SQLAlchemyError as problem:
                if not failing:
                    log.warning("the database did not respond", problem=str(problem))
                failing = True
            except Exception:
                if not failing:
                    log.exception("the schedules could not be followed")
                failing = True
            self.writer.probe()
            await asyncio.sleep(TICK_SECONDS)
            since_reload += TICK_SECONDS

    def _is_steady(self) -> bool:
        """Whether the clock may open and close rounds; say so when it may not any more."""
        was, self._steady = self._steady, self._jumps.is_steady()
        if was and not self._steady:
            log.warning("the clock has jumped: schedules wait", seconds=STEADY_SECONDS)
        return self._steady

    async def _retain(self) -> None:
        """Drop the reports whose time has come, and remove what was dropped or deleted."""
        self.writer.erase_soon()  # a server that was killed may have left something
        while True:
            try:
                if await asyncio.to_thread(self.retention.look):
                    await asyncio.to_thread(self.catalogue.reload)
                while await asyncio.to_thread(self.retention.purge):
                    self.writer.erase_soon()
                    await asyncio.sleep(PURGE_SECONDS)
            except SQLAlchemyError as problem:
                log.warning("the database did not respond", problem=str(problem))
            except Exception:
                log.exception("what is due could not be dropped")
            await asyncio.sleep(RETAIN_SECONDS)

    async def _train(self) -> None:
        """Close the steps of trainings as they fill, and open the next."""
        while True:
            pause = TRAIN_SECONDS if self.trainings.running else TICK_SECONDS
            try:
                await asyncio.to_thread(self.trainings.advance)
            except SQLAlchemyError as problem:
                pause = TICK_SECONDS
                log.warning("the database did not respond", problem=str(problem))
            except Exception:
                pause = TICK_SECONDS
                log.exception("the trainings could not be looked at")
            await asyncio.sleep(pause)

    def device_of(self, authorization: bytes) -> Holder:
        """Return the device that asks, or raise the problem that it does not prove itself."""
        holder = self.credentials.holder_of(authorization)
        if holder is None:
            raise Problem("unauthorized", "'Authorization' is not a valid device credential")
        return holder

    def admit_device(self, authorization: bytes) -> Holder:
        """Return the device that asks, within its rate; raise the problem if that is not so."""
        holder = self.device_of(authorization)
        self.credential_limit.check(holder.device)
        return holder

    def may_report(self, holder: Holder, opened: float) -> bool:
        """Whether a device may report to a round that opened then, given when it enrolled."""
        return not self.settings.enrolled_before or holder.enrolled < int(opened)

    def admit_bearer(self, authorization: str, roles: Sequence[str]) -> Token:
        """Return the bearer's token, of one of these roles or an admin's, within its rate."""
        return self._admit(_valid(self.tokens.verify(_presented(authorization))), roles)

    async def admit_bearer_soon(self, authorization: str, roles: Sequence[str]) -> Token:
        """Do the same on the loop, which does not wait for the database."""
        return self._admit(await self.token_of(authorization), roles)

    async def token_of(self, authorization: str) -> Token:
        """Return the bearer's token; ask the database on a thread if memory does not have it."""
        presented = _presented(authorization)
        token = self.tokens.verify_known(presented)
        if token is None:
            token = await asyncio.to_thread(self.tokens.verify, presented)
        return _valid(token)

    def _admit(self, token: Token, roles: Sequence[str]) -> Token:
        if token.role not in (*roles, ADMIN):
            raise Problem("forbidden", f"this needs a token of the role {' or '.join(roles)}")
        self.credential_limit.check(token.id)
        return token


def _presented(authorization: str) -> str:
    """Return what a bearer presents, "" if it is no bearer's header."""
    kind, _, presented = authorization.partition(" ")
    return presented.strip() if kind.lower() == "bearer" else ""


def _valid(token: Token | None) -> Token:
    if token is None:
        raise Problem("unauthorized", "'Authorization' must be 'Bearer' and a valid token")
    return token
