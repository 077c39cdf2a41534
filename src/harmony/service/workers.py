"""Several server processes on one port: started together, replaced when one ends, stopped together.

Each worker is a whole server with a store of its own; what they share is the database.  Each
has its own listening socket, among which the kernel divides new connections.  When a worker
dies its socket is closed, so that new connections go to the others; its replacement gets
another on the same port and listens to it once it is ready.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess

import structlog

from .metrics import SHARED_FOLDER, forget_worker
from .settings import Settings

log = structlog.get_logger(__name__)

RESTART_SECONDS = 1.0
"""A worker that died at its start would die again: do not hurry."""

Work = Callable[[Settings, socket.socket], None]


def run_workers(work: Work, settings: Settings, listeners: Sequence[socket.socket]) -> None:
    """Run `work` in a process for each listener until SIGTERM or SIGINT, then let them finish."""
    stopping = False
    listeners = list(listeners)
    workers: list[SpawnProcess] = []

    def stop(*_: object) -> None:
        nonlocal stopping
        stopping = True
        for worker in workers:
            worker.terminate()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    with tempfile.TemporaryDirectory(prefix="harmony-metrics-") as folder:
        os.environ[SHARED_FOLDER] = folder
        workers += [_start(work, settings, listener) for listener in listeners]
        while not stopping:
            wait([worker.sentinel for worker in workers])
            for place, worker in enumerate(workers):
                if worker.is_alive() or stopping:
                    continue
                log.error("a worker ended and is replaced", code=worker.exitcode)
                forget_worker(worker.pid or 0)
                listeners[place] = _replaced(listeners[place])
                time.sleep(RESTART_SECONDS)
                workers[place] = _start(work, settings, listeners[place])
        stop()  # also one that was being started when the signal came
        for worker in workers:
            worker.join()


def _replaced(listener: socket.socket) -> socket.socket:
    """Close a dead worker's socket; return one on its address to which nobody listens yet."""
    new = socket.socket(listener.family, listener.type)
    for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
        new.setsockopt(socket.SOL_SOCKET, option, 1)
    new.bind(listener.getsockname())  # before the other is closed: the port is never free
    listener.close()
    return new


def _start(work: Work, settings: Settings, listener: socket.socket) -> SpawnProcess:
    context = multiprocessing.get_context("spawn")
    worker = context.Process(target=_work, args=(work, settings, listener))
    worker.start()
    return worker


def _work(work: Work, settings: Settings, listener: socket.socket) -> None:
    """Work, in a worker's process, for as long as its parent lives."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end_with_parent, daemon=True).start()
    work(settings, listener)
