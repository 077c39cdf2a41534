"""The Spark engine: the relational expression on a cluster, through Ibis.

Counting is Spark SQL alone: the workers need no Python packages, and only the tally comes back.
Simulating runs our kernels on Arrow batches, so there the workers need `harmony-ldp` too.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import HarmonyError
from ..reports import cell_columns
from .counted import Counted
from .log import Log
from .relational import cells_by_count, counted_by

LEAST_JAVA = 17
SETTINGS = {
    "spark.app.name": "harmony",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
VIEW = "harmony_reports"


def tally(log: Log, *, trusted: bool = False, master: str | None = None) -> Counted:
    """Count a log on a cluster whose workers can all read it."""
    with spark_session(master) as session:
        import ibis

        where = "file://" if log.local else ""
        files = [where + file.path for file in log.files]
        reader = session.read.option("basePath", where + log.folder)
        reader.parquet(*files).createOrReplaceTempView(VIEW)
        reports = ibis.pyspark.connect(session).table(VIEW)
        names = cell_columns(log.survey)
        return counted_by(log, cells_by_count(reports, names, trusted=trusted))


@contextmanager
def spark_session(master: str | None = None) -> Iterator[Any]:
    """Yield a session: the one that is running, or one of our own that ends afterwards."""
    try:
        import ibis  # noqa: F401  # a missing package is reported before anything starts
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ModuleNotFoundError as missing:
        raise HarmonyError(
            f"the Spark engine needs {missing.name}: pip install 'harmony-ldp[spark]'"
        ) from None
    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    need_java()
    master = master or "local[*]"
    need_master(master)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(master)
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = None
    try:
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        yield session
    except (PySparkException, Py4JError) as problem:
        said = next((line for line in str(problem).splitlines() if line.strip()), "it did not say")
        raise HarmonyError(f"Spark gave up: {said.strip()}") from problem
    finally:
        if session is not None:
            session.stop()


def need_master(master: str) -> None:
    """Refuse to wait for a standalone master that does not answer: Spark would, for minutes."""
    if not master.startswith("spark://"):
        return
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        try:
            socket.create_connection((host, int(port)), timeout=5).close()
            return
        except (OSError, ValueError):
            continue
    raise HarmonyError(f"{master}: no Spark master answers there; write spark://host:7077")


def need_java() -> None:
    """Refuse to go on without a Java that Spark can run on."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    fix = f"install Java {LEAST_JAVA} or newer (Debian: openjdk-17-jre-headless), or set JAVA_HOME"
    try:
        asked = subprocess.run([java or "java", "-version"], capture_output=True, text=True)
    except OSError:
        raise HarmonyError(f"Spark needs Java, which is not here; {fix}") from None
    found = re.search(r'version "(\d+)', asked.stderr)
    if not found or int(found[1]) < LEAST_JAVA:
        version = found[1] if found else "of an unknown version"
        raise HarmonyError(f"Spark needs a newer Java than {version}; {fix}")
