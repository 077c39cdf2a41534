"""A real Spark cluster on loopback: a master and two workers, each a process of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

PATIENCE = 120
LOOK_SECONDS = 0.05
"""Between two looks at a process that is starting."""

MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"


def spark_home() -> Path:
    """Return where Spark is installed."""
    found = find_spec("pyspark")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("Spark is not installed here: `make test-spark` installs it")
    return Path(found.origin).parent


class Daemon:
    """A master or a worker, with whatever it starts in its process group."""

    def __init__(self, folder: Path, name: str, *words: str) -> None:
        home = spark_home()
        self.log = folder / f"{name}.log"
        environment = os.environ | {
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_WORKER_DIR": str(folder / name),
            "SPARK_LOCAL_DIRS": str(folder / f"{name}-blocks"),
            "SPARK_DAEMON_MEMORY": "512m",
            "PYSPARK_PYTHON": sys.executable,
        }
        local = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        with self.log.open("w") as out:
            self.process = subprocess.Popen(
                [str(home / "bin" / "spark-class"), words[0], *local, *words[1:]],
                stdout=out,
                stderr=out,
                env=environment,
                start_new_session=True,
            )

    def wait_for(self, pattern: str) -> str:
        """Return what its log says, once it says it."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self.process.poll() is None:
            if found := re.search(pattern, self.log.read_text()):
                return found[1]
            time.sleep(LOOK_SECONDS)
        raise RuntimeError(f"Spark did not start:\n{self.log.read_text()[-2000:]}")

    def kill(self) -> None:
        """End it at once, with the executors that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)


class Cluster:
    """A master and two workers of one core each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started = 0
        self._workers: list[Daemon] = []
        self._master = Daemon(folder, "master", MASTER)
        try:
            self.master = self._master.wait_for(r"Starting Spark master at (spark://\S+)")
            self._page = self._master.wait_for(r"MasterWebUI.* started at (http://\S+)")
            self.start_a_worker()
            self.start_a_worker()
            self.wait_for_workers(2)
        except BaseException:
            self.stop()
            raise

    def start_a_worker(self) -> None:
        """Add a worker; the master counts on it once it has come to know it."""
        self._started += 1
        more = ("--cores", "1", "--memory", "1g", self.master)
        self._workers.append(Daemon(self._folder, f"worker-{self._started}", WORKER, *more))

    def alive(self) -> int:
        """Return how many workers the master counts on."""
        with urllib.request.urlopen(f"{self._page}/json/", timeout=PATIENCE) as answer:
            return int(json.load(answer)["aliveworkers"])

    def wait_for_workers(self, number: int) -> None:
        """Wait until the master counts on so many workers."""
        until = time.monotonic() + PATIENCE
        while self.alive() != number:
            if time.monotonic() > until:
                raise RuntimeError(f"the master did not come to count on {number} workers")
            time.sleep(LOOK_SECONDS)

    def kill_a_worker(self) -> None:
        """End one of the workers, in the middle of whatever it does."""
        self._workers.pop().kill()

    def stop(self) -> None:
        """End what is left of the cluster."""
        for daemon in [*self._workers, self._master]:
            daemon.kill()
