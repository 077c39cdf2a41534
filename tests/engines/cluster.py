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
from pathlib import Path

import pyspark

PATIENCE = 120
MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"


class Daemon:
    """A master or a worker, with whatever it starts in its process group."""

    def __init__(self, folder: Path, name: str, *words: str) -> None:
        home = Path(pyspark.__file__).parent
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
            time.sleep(0.05)
        raise RuntimeError(f"Spark did not start:\n{self.log.read_text()[-2000:]}")

    def kill(self) -> None:
        """End it at once, with the executors that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)


class Cluster:
    """A master and two workers of one core each."""

    def __init__(self, folder: Path) -> None:
        self.daemons = [Daemon(folder, "master", MASTER)]
        try:
            self.master = self.daemons[0].wait_for(r"Starting Spark master at (spark://\S+)")
            self._page = self.daemons[0].wait_for(r"MasterWebUI.* started at (http://\S+)")
            for name in ("first", "second"):
                more = ("--cores", "1", "--memory", "1g", self.master)
                self.daemons.append(Daemon(folder, name, WORKER, *more))
            self.wait_for_workers(2)
        except BaseException:
            self.stop()
            raise

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
            time.sleep(0.05)

    def kill_a_worker(self) -> None:
        """End one of the workers, in the middle of whatever it does."""
        self.daemons[-1].kill()

    def stop(self) -> None:
        """End what is left of the cluster."""
        for daemon in reversed(self.daemons):
            daemon.kill()
