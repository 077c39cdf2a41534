"""A crash between any two steps never draws a second report, and never spends uncounted."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harmony_device import Device, Entry, durable
from harmony_device.ledger import Ledger

from .conftest import RECORD, VALUES, Clock, small_survey
from .fake_server import DirectTransport, FakeServer, serving
from .over_time import remembering_survey

DURABLE_STEPS = {"write", "fsync", "replace", "unlink", "ftruncate"}


class Crash(BaseException):
    """Not an Exception, so that no code can catch it by accident."""


class Steps:
    """Counts the steps of a run and crashes before step number `crash_at`."""

    def __init__(self, crash_at: int, crash: Callable[[], None]) -> None:
        self.crash_at = crash_at
        self.crash = crash
        self.names: list[str] = []

    def __call__(self, name: str) -> None:
        self.names.append(name)
        if len(self.names) - 1 == self.crash_at:
            self.crash()


class CrashingOs:
    """The `os` of harmony_device.durable, with a step before each call that changes the disk."""

    def __init__(self, step: Callable[[str], None], *, torn_writes: bool = False) -> None:
        self._step = step
        self._torn_writes = torn_writes

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in DURABLE_STEPS:
            return real

        def call(*arguments: Any) -> Any:
            if name == "write" and self._torn_writes:
                descriptor, content = arguments
                real(descriptor, content[: len(content) // 2])
                self._step(name)
                content = content[len(content) // 2 :]
                return len(arguments[1]) - len(content) + real(descriptor, content)
            self._step(name)
            return real(*arguments)

        return call


def raise_crash() -> None:
    raise Crash


def story(start: Callable[[], Device], server: FakeServer, clock: Clock) -> None:
    """Two rounds, a lost reply, and a withdrawal in the end."""
    start().answer(VALUES)
    server.open_round("small", "2")
    server.faults = [None, "lost reply"]
    start().answer(VALUES)
    clock.now += 60
    start().answer(VALUES)
    start().forget()


def check(server: FakeServer, ledger: list[Entry]) -> None:
    """Each round was charged once, at most one report of it was ever seen, and one lost."""
    lost = 0
    for label in ("1", "2"):
        reports = {report for _, one, report in server.seen if one == label}
        charged = [entry for entry in ledger if entry.round == label]
        assert len(reports) <= len(charged) <= 1
        lost += len(charged) - len(reports)
    assert lost <= 1


@pytest.mark.parametrize("memory", [False, True], ids=["plain", "memory"])
@pytest.mark.parametrize("torn_writes", [False, True], ids=["clean", "torn"])
def test_a_crash_at_any_step_is_survived(
    torn_writes: bool, memory: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash_at = 0
    while True:
        document = remembering_survey() if memory else small_survey()
        server, clock = FakeServer(document), Clock()
        steps = Steps(crash_at, raise_crash)
        directory = tmp_path / str(crash_at)

        def start(
            directory: Path = directory,
            server: FakeServer = server,
            clock: Clock = clock,
            step: Callable[[str], None] = steps,
        ) -> Device:
            return Device(
                "https://stats.example", directory, record=RECORD, consent=True, epsilon_limit=9,
                transport=DirectTransport(server, step), clock=clock, sleep=clock.sleep,
            )  # fmt: skip

        with monkeypatch.context() as patched:
            patched.setattr(durable, "os", CrashingOs(steps, torn_writes=torn_writes))
            crashed = False
            try:
                story(start, server, clock)
            except Crash:
                crashed = True
        server.faults = []
        kept = memos(directory)
        clock.now += 86400
        start().answer(VALUES)
        clock.now += 86400
        start().answer(VALUES)
        check(server, start().ledger())
        assert not kept or kept == memos(directory) or not memos(directory)
        names = {one.charge.memo for one in start().ledger()}
        assert len(names) <= 1, "no memo is drawn twice"
        assert {one[32:48].decode() for one in memos(directory)} <= names or not names
        assert start().send().waiting == 0
        start().forget()
        assert server.devices.keys() <= orphans(server)
        assert {path.name for path in directory.rglob("*.json")} <= {"withdrawal.json"}
        assert memos(directory) == []
        if not crashed:
            break
        crash_at += 1
    assert crash_at > 50
    assert steps.names.count("fsync") > 10


def memos(directory: Path) -> list[bytes]:
    """Return the memos that are whole, as they lie on disk."""
    files = (directory / "memos").glob("*")
    return [file.read_bytes() for file in files if not file.name.endswith(".new")]


def orphans(server: FakeServer) -> set[str]:
    """Return the devices whose enrolment never reached a disk: they cannot have reported."""
    reporters = {report[:32] for _, _, report in server.seen}
    return server.devices.keys() - reporters


def test_epsilon_is_charged_before_randomness_and_stored_before_sending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = Steps(-1, raise_crash)
    server = FakeServer(small_survey())
    monkeypatch.setattr(durable, "os", CrashingOs(steps))
    real = os.urandom
    monkeypatch.setattr(os, "urandom", lambda count: (steps("urandom"), real(count))[1])
    Device(
        "https://stats.example", tmp_path, record=RECORD, consent=True, epsilon_limit=9,
        transport=DirectTransport(server, steps),
    ).answer(VALUES)  # fmt: skip
    drawn = steps.names.index("urandom")
    fetched = steps.names.index("after GET /v1/surveys/small")
    sent = steps.names.index("before POST /v1/surveys/small/reports")
    document = ["write", "fsync", "replace", "fsync"]
    ledger = ["write", "fsync", "fsync"]  # the line, and the name of a new file
    assert steps.names[fetched + 1 : drawn] == document + ledger
    assert steps.names[drawn + 1 : sent] == ["write", "fsync", "replace", "fsync"]


def test_a_memo_is_on_disk_before_its_epsilon_is_charged_and_anything_is_drawn_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = Steps(-1, raise_crash)
    server = FakeServer(remembering_survey())
    monkeypatch.setattr(durable, "os", CrashingOs(steps))
    real = os.urandom
    monkeypatch.setattr(os, "urandom", lambda count: (steps(f"urandom {count}"), real(count))[1])
    Device(
        "https://stats.example", tmp_path, record=RECORD, consent=True, epsilon_limit=9,
        transport=DirectTransport(server, steps),
    ).answer(VALUES)  # fmt: skip
    memo, report = steps.names.index("urandom 32"), steps.names.index("urandom 16")
    ledger = ["write", "fsync", "fsync"]
    assert steps.names[memo + 1 : report] == ["write", "fsync", "replace", "fsync"] + ledger


KILLS = int(os.environ.get("HARMONY_KILLS", "24"))

KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, {root!r})
from harmony_device import Device, durable
from tests.device.conftest import RECORD, VALUES
from tests.device.test_crashes import CrashingOs, Steps

for crash_at in range(1000):
    if os.fork() == 0:
        steps = Steps(crash_at, lambda: os._exit(9))
        durable.os = CrashingOs(steps, torn_writes=crash_at % 2 == 0)
        directory = Path({directory!r}) / str(crash_at)
        Device({url!r}, directory, record=RECORD, consent=True, epsilon_limit=9).answer(VALUES)
        os._exit(0)
    if os.waitstatus_to_exitcode(os.wait()[1]) == 0:
        print(crash_at)
        break
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("memory", [False, True], ids=["plain", "memory"])
def test_a_killed_process_is_survived(memory: bool, tmp_path: Path) -> None:
    server = FakeServer(remembering_survey() if memory else small_survey())
    with serving(server) as url:
        root = str(Path(__file__).parents[2])
        program = KILLED.format(root=root, url=url, directory=str(tmp_path))
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        killed = int(done.stdout)
        assert killed > 10
        first = {report[:32]: report for _, _, report in server.seen}
        for crash_at in range(killed):
            kept = memos(tmp_path / str(crash_at))
            with Device(
                url, tmp_path / str(crash_at), record=RECORD, consent=True, epsilon_limit=9
            ) as device:
                device.answer(VALUES)
                (entry,) = device.ledger()
                assert entry.round == "1"
            if memory:
                (memo,) = memos(tmp_path / str(crash_at))
                assert kept in ([], [memo]), "what was on disk is what is used"
                assert entry.charge.memo == memo[32:48].decode()
        for _, _, report in server.seen:
            assert first.setdefault(report[:32], report) == report
    charged = sum(1 for _ in tmp_path.glob("*/ledger.jsonl"))
    assert len(server.reports) <= charged


KILLED_ANYWHERE = """
import os, random, signal, sys, time
from pathlib import Path
sys.path.insert(0, {root!r})
from harmony_device import Device
from tests.device.conftest import RECORD, VALUES

pause, dead = random.Random(20), 0
while dead < {kills}:
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        directory = Path({directory!r}) / str(dead)
        Device({url!r}, directory, record=RECORD, consent=True, epsilon_limit=9).answer(VALUES)
        os._exit(0)
    if not dead:  # the first is let live, and says how long it takes
        os.waitpid(child, 0)
        whole = time.monotonic() - began
    else:
        time.sleep(pause.random() * whole)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    dead += 1
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_processes_killed_at_any_moment_never_draw_a_memo_again(tmp_path: Path) -> None:
    """So many are killed as HARMONY_KILLS says, each in a directory of its own."""
    server = FakeServer(remembering_survey())
    with serving(server) as url:
        root = str(Path(__file__).parents[2])
        program = KILLED_ANYWHERE.format(
            root=root, url=url, directory=str(tmp_path), kills=KILLS + 1
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        for place in range(KILLS + 1):
            directory = tmp_path / str(place)
            kept = memos(directory)
            with Device(url, directory, record=RECORD, consent=True, epsilon_limit=9) as device:
                device.answer(VALUES)
                (entry,) = device.ledger()
            (memo,) = memos(directory)
            assert kept in ([], [memo]), "what was on disk is what is used"
            assert entry.charge.memo == memo[32:48].decode()
        first: dict[bytes, bytes] = {}
        for _, _, report in server.seen:
            assert first.setdefault(report[:32], report) == report


RACING = """
import sys
sys.path.insert(0, {root!r})
from harmony_device import Device
from tests.device.conftest import RECORD, VALUES
with Device({url!r}, {directory!r}, record=RECORD, consent=True, epsilon_limit=99) as device:
    for _ in range(6):
        device.answer(VALUES)
"""


def test_processes_that_answer_at_once_draw_one_memo_and_one_report(tmp_path: Path) -> None:
    server = FakeServer(remembering_survey())
    with serving(server) as url:
        root = str(Path(__file__).parents[2])
        program = RACING.format(root=root, url=url, directory=str(tmp_path / "harmony"))
        running = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(4)]
        label = 1
        while any(one.poll() is None for one in running):
            label += 1
            server.open_round("small", str(label))
            with contextlib.suppress(subprocess.TimeoutExpired):
                running[0].wait(0.05)
        assert [one.returncode for one in running] == [0] * 4
        ledger = Ledger(str(tmp_path / "harmony")).entries()
    (memo,) = memos(tmp_path / "harmony")
    assert {one.charge.memo for one in ledger} == {memo[32:48].decode()}
    seen: dict[str, str] = {}
    for _, one, report in server.seen:
        assert seen.setdefault(one, report) == report, "one report a round, whoever sent it"
    assert len({one.round for one in ledger}) == len(ledger)
