"""Two workers that say who they are to each connection; one that replaces another never gets ready.

python -m tests.service.slow_worker FOLDER      # prints its port
"""

from __future__ import annotations

import os
import socket
import sys
import time
from pathlib import Path

from harmony.service.settings import Settings
from harmony.service.workers import run_workers

WORKERS = 2


def work(settings: Settings, listener: socket.socket) -> None:
    """Answer connections, unless all workers had been started before."""
    del settings
    starts = Path(sys.argv[1])
    (starts / str(os.getpid())).touch()
    if len(list(starts.iterdir())) > WORKERS:
        time.sleep(600)
    while True:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(str(os.getpid()).encode())


if __name__ == "__main__":
    first = socket.create_server(("127.0.0.1", 0), reuse_port=True)
    listeners = [first, socket.create_server(first.getsockname(), reuse_port=True)]
    sys.stdout.write(f"{first.getsockname()[1]}\n")
    sys.stdout.flush()
    run_workers(work, Settings.load(workers=WORKERS), listeners)
