"""Processes and threads that share a directory answer each round once between them."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

from harmony_device import Device

from .conftest import RECORD, VALUES, small_survey
from .fake_server import FakeServer, serving

VISIT = """
import sys
from harmony_device import Device
RECORD = dict(battery=float, wifi=bool, age=int)
url, directory = sys.argv[1:]
sys.stdin.readline()  # all start together
with Device(url, directory, record=RECORD, consent=True, epsilon_limit=9) as device:
    for _ in range(3):
        device.answer({values!r})
"""


def test_processes_at_once_enrol_once_and_answer_once(tmp_path: Path) -> None:
    server = FakeServer(small_survey())
    with serving(server) as url:
        started = [
            subprocess.Popen(
                [sys.executable, "-c", VISIT.format(values=VALUES), url, str(tmp_path)],
                stdin=subprocess.PIPE, stderr=subprocess.PIPE,
            )
            for _ in range(4)
        ]  # fmt: skip
        for process in started:
            assert process.stdin is not None
            process.stdin.write(b"\n")
            process.stdin.flush()
        for process in started:
            _, errors = process.communicate(timeout=60)
            assert process.returncode == 0, errors.decode()
        device = Device(url, tmp_path, record=RECORD, consent=True, epsilon_limit=9)
        assert len(device.ledger()) == 1
    assert server.enrolments == 1
    assert len(set(server.seen)) == 1


def test_threads_at_once_enrol_once_and_answer_once(tmp_path: Path) -> None:
    server = FakeServer(small_survey(), small_survey(name="other"))
    problems: list[BaseException] = []

    def visit(url: str) -> None:
        try:
            with Device(url, tmp_path, record=RECORD, consent=True, epsilon_limit=9) as device:
                for _ in range(5):
                    device.answer(VALUES)
        except BaseException as problem:
            problems.append(problem)

    with serving(server) as url:
        threads = [threading.Thread(target=visit, args=(url,)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert problems == []
    assert server.enrolments == 1
    assert len(set(server.seen)) == 2
    assert len(server.reports) == 2
