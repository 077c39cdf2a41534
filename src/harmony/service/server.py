"""`harmony serve`: one process, one port."""

from __future__ import annotations

import gc
import signal
import socket
import sys

import structlog
import uvicorn

from harmony.errors import HarmonyError

from .app import Application
from .asgi import App
from .logs import configure_logs
from .settings import Settings
from .state import ServiceState

log = structlog.get_logger(__name__)


def run(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM, then finish what is under way and return."""
    configure_logs(settings.log_format, settings.log_level)
    state = ServiceState(settings)
    listener = _listen(settings)
    address = f"http://{_shown_host(settings.host)}:{listener.getsockname()[1]}"
    url = settings.public_url.rstrip("/") or address
    _offer_claim(state, url)
    log.info("serving", url=url, database=state.database.url.render_as_string())
    # uvicorn raises the signal that stopped it once more when it is done: a stop is no failure.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    gc.freeze()  # what is loaded by now stays: the collector need not look at it again
    Server(server_config(Application(state), settings), state).run(sockets=[listener])
    log.info("stopped")


class Server(uvicorn.Server):
    """Uvicorn's server, which tells the service's endless streams when it is to stop."""

    def __init__(self, config: uvicorn.Config, state: ServiceState) -> None:
        super().__init__(config)
        self._state = state

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then finish what is under way."""
        self._state.stopping.set()
        await super().shutdown(sockets)


def server_config(app: App, settings: Settings) -> uvicorn.Config:
    """Return how uvicorn serves `app`."""
    return uvicorn.Config(
        app,
        loop="uvloop" if _has("uvloop") else "asyncio",
        http="httptools" if _has("httptools") else "h11",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=settings.connections,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies or None,
        timeout_graceful_shutdown=max(1, round(settings.drain_seconds)),
    )


def _listen(settings: Settings) -> socket.socket:
    """Open the port before anything is printed, so that its number is known."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as problem:
        raise HarmonyError(
            f"cannot listen on {settings.host}:{settings.port} ({problem.strerror}); "
            "choose another 'port'"
        ) from None
    listener.listen(2048)
    return listener


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


def _has(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None
