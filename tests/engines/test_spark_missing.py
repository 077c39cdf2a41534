"""Without Java, or without a master, the Spark engine says so at once; Spark is not needed here."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import harmony as hm
from harmony.engines import spark


def test_without_spark_the_engine_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("py4j", "pyspark"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(hm.HarmonyError, match=r"pip install 'harmony-ldp\[spark\]'"):
        spark.spark_session().__enter__()


def test_without_java_the_engine_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(hm.HarmonyError, match="needs Java, which is not here; install Java 17"):
        spark.need_java()
    old = tmp_path / "bin" / "java"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    old.chmod(0o755)
    with pytest.raises(hm.HarmonyError, match="needs a newer Java than 11"):
        spark.need_java()


@pytest.mark.parametrize("master", ["spark://127.0.0.1:1", "spark://nowhere", "spark://a:b"])
def test_a_master_that_does_not_answer_is_told_at_once(master: str) -> None:
    with pytest.raises(hm.HarmonyError, match="no Spark master answers there"):
        spark.need_master(master)
