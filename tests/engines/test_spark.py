"""The Spark engine on a real standalone cluster: the same integers, also when a worker dies."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from harmony.engines import LogWriter, spark, tally_log
from harmony.engines.simulation import Simulation, invent

from .cluster import Cluster
from .logs import DAYS, ROUND, SURVEYS, make_survey, reports_of, write_with_repeats

if not os.environ.get("NEEDS_SPARK"):
    pytest.skip("`make test-spark` runs these, with Spark and Java", allow_module_level=True)

pytestmark = pytest.mark.timeout(600)

FILES = 40


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A master and two workers."""
    running = Cluster(tmp_path_factory.mktemp("spark"))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def session(cluster: Cluster) -> Iterator[Any]:
    """A session that every test of this file shares: starting one takes seconds."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    with pytest.MonkeyPatch.context() as patch:
        more = {
            "spark.executor.memory": "512m",
            "spark.sql.shuffle.partitions": "4",
            "spark.sql.files.openCostInBytes": str(1 << 27),  # a task for each file
        }
        patch.setattr(spark, "SETTINGS", spark.SETTINGS | more)
        with spark.spark_session(cluster.master) as running:
            yield running


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("options", SURVEYS.values(), ids=SURVEYS.keys())
def test_a_devices_first_report_counts_on_a_cluster_too(tmp_path: Path, options: dict) -> None:
    survey = make_survey(options)
    expected, repeats = write_with_repeats(tmp_path, survey)
    counted = tally_log(survey, tmp_path, engine="spark")
    assert counted.tally == expected
    assert counted.duplicates == repeats


@pytest.mark.usefixtures("session")
def test_a_trusted_log_is_counted_as_it_is(tmp_path: Path) -> None:
    survey = make_survey({"epsilon": 1.0})
    write_with_repeats(tmp_path, survey)
    on_spark = tally_log(survey, tmp_path, engine="spark", trusted=True)
    assert on_spark.tally == tally_log(survey, tmp_path, trusted=True).tally
    assert on_spark.tally.reports == 5700


@pytest.mark.usefixtures("session")
def test_a_simulation_does_not_depend_on_its_tasks(tmp_path: Path) -> None:
    survey = make_survey({"tiers": [0.5, 2.0]})
    people, tiers = invent(survey, 5)
    made = Simulation(survey, people, 300_000, seed=5, tiers=tiers)
    here = made.tally()
    for tasks in (1, 7):
        assert made.tally_on_spark(tasks=tasks) == here


def test_a_worker_killed_in_the_middle_of_a_job_changes_nothing(
    tmp_path: Path, cluster: Cluster, session: Any
) -> None:
    survey = make_survey({"epsilon": 1.0})
    for number in range(FILES):
        with LogWriter(tmp_path, survey, ROUND, DAYS[number % 2], first=2000 * number) as log:
            log.write_table(reports_of(survey, 1900 * number, 2000, number))
    killed: list[tuple[int, int]] = []

    def kill_in_the_middle() -> None:
        tracker = session.sparkContext.statusTracker()
        until = time.monotonic() + 120
        while not killed and time.monotonic() < until:
            for stage in map(tracker.getStageInfo, tracker.getActiveStageIds()):
                if stage and stage.numTasks >= FILES and stage.numCompletedTasks:
                    cluster.kill_a_worker()
                    killed.append((stage.numCompletedTasks, stage.numTasks))
                    return
            time.sleep(0.01)

    killer = Thread(target=kill_in_the_middle)
    killer.start()
    counted = tally_log(survey, tmp_path, engine="spark")
    killer.join()
    ((done, tasks),) = killed
    assert 0 < done < tasks
    cluster.wait_for_workers(1)
    cluster.start_a_worker()  # for the tests that come after this one
    cluster.wait_for_workers(2)
    expected = tally_log(survey, tmp_path)
    assert counted.tally == expected.tally
    assert counted.duplicates == expected.duplicates == 100 * (FILES - 1)
