"""A device takes part in a training once, whatever steps it is offered and whatever goes wrong."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harmony_device import Device, RefusedError, durable
from harmony_device.step import Step

from .conftest import RECORD as DECLARED
from .conftest import Clock
from .fake_server import DirectTransport, FakeServer
from .steps import RECORD, STEP, step_document
from .test_crashes import Crash, CrashingOs, Steps, raise_crash

Start = Callable[..., Device]
TASK = "GET /v1/trainings/charging/task"


@pytest.fixture
def server() -> FakeServer:
    server = FakeServer()
    server.train(step_document())
    return server


def test_a_device_takes_part_and_is_heard(device: Start, server: FakeServer) -> None:
    visit = device().answer(RECORD)
    assert visit.answered == visit.accepted == [("charging", "charging:1")]
    ((survey, label, caller), report) = next(iter(server.reports.items()))
    assert (survey, label, caller) == ("charging", "charging:1", next(iter(server.devices)))
    assert len(bytes.fromhex(report)) == 18
    (entry,) = device().ledger()
    assert (entry.survey, entry.epsilon, entry.state) == ("charging", 1.1, "accepted")
    assert entry.asked[0] in STEP["derive"]


def test_it_takes_part_once_whichever_step_is_open(device: Start, server: FakeServer) -> None:
    running = device()
    running.answer(RECORD)
    for number in (2, 3):
        server.train(step_document(number))
        assert running.answer(RECORD).answered == []
        assert device().answer(RECORD).answered == []
    assert server.paths()[TASK] == 1
    assert len(server.seen) == 1


def test_a_late_report_is_dropped_and_never_computed_again(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    server.faults = [None, None, None, "lost request"]
    assert device().answer(RECORD).waiting == 1
    server.train(step_document(2))
    clock.now += 60
    visit = device().answer(RECORD)
    assert visit.dropped == {("charging", "charging:1"): "dropped: closed"}
    assert (visit.answered, visit.waiting) == ([], 0)
    assert server.paths()[TASK] == 1
    (entry,) = device().ledger()
    assert (entry.epsilon, entry.state) == (1.1, "dropped: closed")
    assert len(set(server.seen)) == 1


def test_a_lost_reply_is_resent_with_the_same_bytes(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    server.faults = [None, None, None, "lost reply"]
    assert device().answer(RECORD).waiting == 1
    clock.now += 60
    assert device().answer(RECORD).accepted == [("charging", "charging:1")]
    assert len(server.seen) == 2
    assert len(set(server.seen)) == 1


def test_a_device_that_dies_with_its_task_may_have_another(
    device: Start, server: FakeServer
) -> None:
    server.faults = [None, None, "lost reply"]
    assert device().answer(RECORD).answered == []
    server.train(step_document(2))
    running = device()
    running._backoff.succeeded()
    assert running.answer(RECORD).accepted == [("charging", "charging:2")]


def test_it_waits_as_long_as_the_server_asks_also_after_a_restart(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    server.faults = [None, None, (204, {"Retry-After": "500"})]
    visit = device().answer(RECORD)
    assert (visit.answered, visit.trouble, visit.next_attempt) == ([], None, 500)
    assert visit.skipped == {"charging": "no task now; to be asked for in 500 seconds"}
    clock.now += 499
    assert device().answer(RECORD).next_attempt == pytest.approx(1)
    assert server.paths()[TASK] == 1
    clock.now += 2
    assert device().answer(RECORD).accepted


def test_with_patience_it_waits_for_its_task(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    server.faults = [None, None, (204, {"Retry-After": "20"})]
    visit = device().answer(RECORD, patience=60)
    assert (len(visit.accepted), visit.skipped) == (1, {})
    assert clock.slept == [20]


def test_a_pause_is_forgotten_with_its_training(
    device: Start, server: FakeServer, tmp_path: Path
) -> None:
    server.faults = [None, None, (204, {"Retry-After": "500"})]
    device().answer(RECORD)
    assert (tmp_path / "harmony" / "pause-charging").exists()
    server.trainings = []
    device().answer(RECORD)
    assert not (tmp_path / "harmony" / "pause-charging").exists()


@pytest.mark.parametrize("status", [404, 410])
def test_a_training_that_is_over_is_no_trouble(
    status: int, device: Start, server: FakeServer
) -> None:
    server.faults = [None, None, status]
    visit = device().answer(RECORD)
    assert (visit.answered, visit.trouble) == ([], None)


def test_an_owner_who_allows_less_is_not_asked(device: Start, server: FakeServer) -> None:
    visit = device(epsilon_limit=1.0).answer(RECORD)
    assert "per_report: 0 spent and 1.1 asked" in visit.skipped["charging"]
    assert TASK not in server.paths()
    assert device().ledger() == []


@pytest.mark.parametrize("epsilon", [-1e308, 1e308, -1.0, 0])
def test_a_training_may_be_listed_with_any_number(
    epsilon: float, device: Start, server: FakeServer
) -> None:
    server.trainings = [{"name": "charging", "epsilon": epsilon}]
    visit = device().answer(RECORD)
    assert visit.skipped.keys() == {"charging"}
    assert (visit.trouble, visit.answered, device().ledger()) == (None, [], [])


def test_what_was_spent_on_surveys_counts_for_trainings(
    device: Start, server: FakeServer, transport: DirectTransport
) -> None:
    second = copy.deepcopy(step_document())
    second["training"] = "other"
    device(epsilon_limit=2.0).answer(RECORD)
    server.train(second)
    assert "1.1 spent and 1.1 asked" in device(epsilon_limit=2.0).answer(RECORD).skipped["other"]


def test_a_crash_at_any_moment_never_makes_a_second_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash_at, crashed = 0, True
    while crashed:
        server, clock, steps = FakeServer(), Clock(), Steps(crash_at, raise_crash)
        transport = DirectTransport(server, steps)

        def take_part(number: int, server=server, transport=transport, clock=clock, at=crash_at):
            server.train(step_document(number))
            device = Device(
                "https://stats.example",
                tmp_path / str(at),
                record=DECLARED,
                consent=True,
                epsilon_limit=9,
                transport=transport,
                clock=clock,
                sleep=clock.sleep,
            )
            device.answer(RECORD)
            clock.now += 86400
            return device

        with monkeypatch.context() as patched:
            patched.setattr(durable, "os", CrashingOs(steps, torn_writes=crash_at % 2 == 0))
            try:
                server.faults = [None, None, (204, {"Retry-After": "9"})]
                take_part(1)
                server.faults = [None, None, "lost reply"]
                take_part(1)
                crashed = False
            except Crash:
                server.faults = []
        steps.crash_at = -1
        for number in (2, 3):
            entries = take_part(number).ledger()
        assert len(entries) == 1
        assert len({report for _, _, report in server.seen}) <= 1
        crash_at += 1
    assert crash_at > 30


def test_without_consent_nothing_is_asked(device: Start, server: FakeServer) -> None:
    assert device(consent=False).answer(RECORD).trouble == "consent is not given"
    assert not server.requests


def test_one_who_joins_again_does_not_take_part_again(device: Start, server: FakeServer) -> None:
    running = device()
    running.answer(RECORD)
    running.forget()
    running.rejoin()
    server.train(step_document(2))
    assert running.answer(RECORD).answered == []
    assert server.enrolments == 2


def test_a_device_without_the_label_takes_part_like_any_other(
    device: Start, server: FakeServer
) -> None:
    visit = device().answer({"battery": 3, "theme": "dark"})
    assert visit.accepted == [("charging", "charging:1")]
    assert visit.warnings == ["charging: no value, or none that is a boolean"]
    assert [entry.survey for entry in device().ledger()] == ["charging"]


def test_an_app_without_the_label_keeps_out_and_does_not_ask_every_time(
    device: Start, server: FakeServer
) -> None:
    record = {"battery": float, "theme": str}
    visit = device(record=record).answer(RECORD)
    assert "asks for 'charging' (boolean)" in visit.skipped["charging"]
    assert "no task now" in device(record=record).answer({}).skipped["charging"]
    assert device().ledger() == []
    assert server.paths()[TASK] == 1


def test_reviewed_documents_leave_no_room_for_trainings(device: Start, server: FakeServer) -> None:
    visit = device(surveys={}).answer(RECORD)
    assert "reviewed" in visit.skipped["charging"]
    assert server.paths()[TASK] == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"training": "other"}, "'training'"),
        ({"format": "harmony-step/9"}, "'format'"),
        ({"features": []}, "'features'"),
        ({"round": {"label": "charging:1", "seed": "xyz"}}, "'seed'"),
        ({"model": {"intercept": 0, "weights": {"battery": 1}}}, r"weights\[theme\]"),
        ({"model": {"intercept": "0", "weights": {}}}, "'intercept'"),
        ({"label": {"name": "x", "kind": "categorical", "values": [1, 2, 3]}}, "two values"),
        ({"derive": {}}, "'is' must be"),
        ({"direction": 7}, "direction: must be an object"),
    ],
)
def test_a_step_that_is_not_one_is_refused(
    change: dict[str, Any], said: str, device: Start, server: FakeServer
) -> None:
    import re

    server.train(step_document())
    server.tasks["charging"] = step_document(**change)
    visit = device().answer(RECORD)
    assert re.search(said, visit.skipped["charging"])
    assert device().ledger() == []
    assert server.seen == []


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"is": "gradient", "feature": "nobody", "clip": 1}, "'feature'"),
        ({"is": "gradient", "feature": ["battery"], "clip": 1}, "'feature'"),
        ({"is": "gradient", "feature": "battery", "of": "residual", "clip": 0}, "'clip'"),
        ({"is": "gradient", "feature": "battery", "of": "record", "clip": 1}, "'of'"),
        ({"is": "gradient", "feature": "battery", "clip": 1}, "'of'"),
        ({"is": "gradient", "feature": "battery", "of": "relative", "clip": 1}, "'middle'"),
        (
            {"is": "gradient", "feature": "battery", "of": "label", "clip": 1, "middle": 0},
            "'reach'",
        ),
        ({"is": "gradient", "feature": "theme", "of": "residual", "clip": 1}, "must be signed"),
        ({"is": "feature", "feature": "theme"}, "must be category"),
        ({"is": "curve", "edges": [0.0]}, "must be category"),
        ({"is": "curve", "edges": [1.0, 0.0]}, "rising order"),
        ({"is": "surplus", "edges": [0.0]}, "must be signed"),
        ({"is": "surplus", "edges": [1.0, 0.0]}, "rising order"),
        ({"is": "product", "of": ["residual", "secret"], "clip": [1, 1]}, "'of'"),
        ({"is": "product", "of": ["residual"], "clip": [1, 1]}, "'clip'"),
        ({"is": "record"}, "'is' must be"),
    ],
)
def test_a_derivation_that_could_refuse_a_record_is_refused_itself(
    how: dict[str, Any], said: str
) -> None:
    document = step_document()
    document["derive"]["gradient of battery"] = how
    with pytest.raises(RefusedError, match=said):
        Step(document)


def test_a_table_that_spends_too_much_is_refused(device: Start, server: FakeServer) -> None:
    step = step_document()
    step["survey"]["tables"][0]["counts"] = [[7 << 50, 1 << 50], [1 << 50, 7 << 50]]
    server.train(step)
    assert "epsilon" in device().answer(RECORD).skipped["charging"]
    assert server.seen == []


def test_an_epsilon_other_than_the_listed_one_is_refused(device: Start, server: FakeServer) -> None:
    server.trainings[0]["epsilon"] = 1.0
    assert "'epsilon'" in device().answer(RECORD).skipped["charging"]


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"battery": None, "theme": None},
        {"battery": "full", "theme": 3},
        {"battery": float("nan"), "theme": "neon"},
        {"battery": 1e300, "theme": "dark"},
    ],
)
def test_what_a_record_lacks_changes_neither_the_report_nor_the_random_bytes(
    record: dict[str, Any],
) -> None:
    step, drawn = Step(step_document()), []

    def random_bytes(count: int) -> bytes:
        drawn.append(count)
        return os.urandom(count)

    for label in (False, True):
        answers = step.read({**record, "charging": label}, random_bytes)
        assert len(answers) == 2
    assert drawn == [8, 8]
    assert step.read(record, random_bytes) == [None, None]
    assert drawn == [8, 8, 8]


def test_weights_beyond_all_bounds_still_give_an_answer() -> None:
    document = step_document()
    document["model"]["weights"] = {"battery": 1e308, "theme": [1e308, -1e308, 1.0]}
    step = Step(document)
    for theme in ("light", "dark", "auto"):
        battery, level = step.read({**RECORD, "battery": 100, "theme": theme}, os.urandom)
        assert -1 <= battery <= 1
        assert 0 <= level < 8


def test_the_sign_of_a_gradient_is_right_on_average() -> None:
    step = Step(step_document())
    score = 0.1 + 0.5 * (71.5 - 50) / 50 - 0.1
    expected = (1 - score) / 1.5
    answers = [step.read(RECORD, os.urandom)[1] for _ in range(20_000)]
    assert set(answers) == {1, 5}
    mean = 1 - 2 * answers.count(5) / len(answers)
    assert mean == pytest.approx(expected, abs=5 / 20_000**0.5)  # false alarm: 1 in 1.7 million
