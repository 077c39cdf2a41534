"""`harmony serve`: one port, and one process or several on one PostgreSQL."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import threading

import structlog
import uvicorn

from harmony.errors import HarmonyError

from .app import Application
from .asgi import App
from .http.choice import choose_protocol
from .ingest.writer import CLOSE_SECONDS
from .logs import configure_logs
from .settings import Settings
from .state import ServiceState
from .workers import run_workers

log = structlog.get_logger(__name__)

LEAVE_SECONDS = 4.0
"""How long closing may take beyond what requests and a last commit may."""

OTHER_FILES = 200
"""Open files that are no connections: the database's, the log's, modules being read."""


def run(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM, then finish what is under way and return."""
    configure_logs(settings.log_format, settings.log_level)
    state = ServiceState(settings)
    if settings.workers > 1 and state.database.is_sqlite:
        raise HarmonyError(
            "'workers' above 1 needs PostgreSQL: SQLite has one writer; give 'database' a "
            "postgresql:// URL, or leave 'workers' at 1"
        )
    listeners = listen(settings)
    address = f"http://{_shown_host(settings.host)}:{listeners[0].getsockname()[1]}"
    url = settings.public_url.rstrip("/") or address
    _offer_claim(state, url)
    log.info("serving", url=url, database=state.database.url.render_as_string())
    if settings.workers == 1:
        _serve(state, listeners[0])
    else:
        state.database.close()
        run_workers(work, settings, listeners)
    log.info("stopped")


def work(settings: Settings, listener: socket.socket) -> None:
    """Serve in a process that is one of several."""
    configure_logs(settings.log_format, settings.log_level)
    _serve(ServiceState(settings), listener)


def _serve(state: ServiceState, listener: socket.socket) -> None:
    app = Application(state)
    serve_app(app, listener, app)


def serve_app(app: App, listener: socket.socket, service: Application) -> None:
    """Serve `app`, which is the service or stands before it, on uvicorn until a signal ends it.

    Single reports go to the service without a detour.
    """
    # What is loaded by now stays, and what a request makes goes with its response: the
    # collector finds next to nothing, so it need not search among the requests under way.
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    state, settings = service.state, with_files_for(service.state.settings)
    config = uvicorn.Config(
        app,
        loop="auto",
        http=choose_protocol(service.ingest, settings, state.metrics),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=settings.header_bytes,
        timeout_keep_alive=round(settings.idle_seconds),
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=settings.proxies or None,
        timeout_graceful_shutdown=max(1, round(settings.drain_seconds)),
    )
    server = Server(config, state)
    # uvicorn raises the signal that stopped it once more when it is done: a stop is no failure.
    # One that comes before uvicorn listens to signals is not lost.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, server.stop)
    server.run(sockets=[listener])


class Server(uvicorn.Server):
    """Uvicorn's server, which ends in time: it would wait for streams and threads without end."""

    def __init__(self, config: uvicorn.Config, state: ServiceState) -> None:
        super().__init__(config)
        self._state = state

    def stop(self, *_: object) -> None:
        """Stop as soon as the server runs, or go on stopping."""
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then finish what is under way, or leave it when the time is up."""
        seconds = stop_seconds(self._state.settings)
        timer = threading.Timer(seconds, _leave, (seconds,))
        timer.daemon = True
        timer.start()
        self._state.stopping.set()
        await super().shutdown(sockets)


def stop_seconds(settings: Settings) -> float:
    """Return after how long a server that was told to stop ends, whatever is under way."""
    return settings.drain_seconds + CLOSE_SECONDS + LEAVE_SECONDS


def _leave(seconds: float) -> None:
    """End the process although a thread hangs: nothing that was acknowledged is lost by it."""
    log.error("the database or a disk hangs, so the server ends without it", seconds=seconds)
    os._exit(1)


def with_files_for(settings: Settings) -> Settings:
    """Let the process have as many files as it may have connections, or else fewer of these."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return settings
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = settings.connections + OTHER_FILES
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return settings
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    if allowed == wanted:
        return settings
    fewer = max(1, allowed - OTHER_FILES)
    log.warning("the system allows fewer files than 'connections' needs", connections=fewer)
    return settings.model_copy(update={"connections": fewer})


def listen(settings: Settings) -> list[socket.socket]:
    """Open a socket for each worker before anything is printed, so that the port is known."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    if settings.workers == 1:
        listeners = [_bound(family, settings, settings.port)]
    else:
        # Sockets that share a port would share it with another server's as well, which may have
        # another database: one that does not share finds out whether there is any.
        with _bound(family, settings, settings.port) as alone:
            port = alone.getsockname()[1]
        listeners = [_bound(family, settings, port, share=True) for _ in range(settings.workers)]
    for listener in listeners:
        listener.listen(2048)
    return listeners


def _bound(
    family: socket.AddressFamily, settings: Settings, port: int, *, share: bool = False
) -> socket.socket:
    """Return a socket on the server's address, or raise why it cannot be had."""
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if share:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        bound.bind((settings.host, port))
    except OSError as problem:
        bound.close()
        raise HarmonyError(
            f"cannot listen on {settings.host}:{settings.port} ({problem.strerror}); "
            "choose another 'port'"
        ) from None
    return bound


def _offer_claim(state: ServiceState, url: str) -> None:
    """Print the way to the first admin's token, once: it goes to the terminal, not to the log."""
    code = state.tokens.claim_code()
    if code is not None:
        sys.stderr.write(
            "This server has no admin yet. Become one (works once, within a day):\n"
            f"  {url}/claim?code={code}\n"
        )
        sys.stderr.flush()


def _shown_host(host: str) -> str:
    if host in ("0.0.0.0", "::"):  # shown, not bound
        return "localhost"
    return f"[{host}]" if ":" in host else host
