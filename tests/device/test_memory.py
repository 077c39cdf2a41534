"""Memory: a permanent answer for each index, of which each round's report is drawn again."""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harmony_device import Device, EpsilonLimit, RefusedError, Survey, make_report
from harmony_device.ledger import Ledger
from harmony_device.limits import BILLION, Charge, steady_spending, worst_spending
from harmony_device.memos import Memos
from harmony_device.report import ask, memo_words
from harmony_device.status import status

from .conftest import VALUES, Clock
from .fake_server import FakeServer
from .over_time import HALF, QUARTER, remembering_survey

Start = Callable[..., Device]
FINGERPRINT = "5a" * 32


@pytest.fixture
def server() -> FakeServer:
    return FakeServer(remembering_survey())


def memo_files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "harmony" / "memos").iterdir())


def test_a_survey_with_memory_asks_the_same_in_every_round() -> None:
    survey = Survey(remembering_survey(), FINGERPRINT)
    device = bytes(range(16))
    assert ask(survey, b"one round's seed", device, 0) == ask(
        survey, b"another's seed..", device, 0
    )
    other = Survey(remembering_survey(), "a5" * 32)
    devices = [bytes([number]) * 16 for number in range(64)]
    assert [ask(survey, b"", one, 0) for one in devices] != [
        ask(other, b"", one, 0) for one in devices
    ]


def test_the_memo_is_drawn_once_and_stays(
    server: FakeServer, device: Start, tmp_path: Path
) -> None:
    device().answer(VALUES)
    (file,) = memo_files(tmp_path)
    content = file.read_bytes()
    assert file.name == server.fingerprints()["small"]
    for label in "2345":
        server.open_round("small", label)
        assert device().answer(VALUES).answered
    assert file.read_bytes() == content
    assert {one.charge.memo for one in device().ledger()} == {content[32:48].decode()}


def test_a_memo_survives_that_its_survey_is_not_listed_for_a_while(
    server: FakeServer, device: Start, tmp_path: Path
) -> None:
    device().answer(VALUES)
    content = memo_files(tmp_path)[0].read_bytes()
    server.listing = [{"name": "other"}]
    device().answer(VALUES)
    server.listing = None
    server.open_round("small", "2")
    assert device().answer(VALUES).answered
    assert memo_files(tmp_path)[0].read_bytes() == content


def test_forgetting_deletes_the_memo_and_joining_again_draws_another(
    server: FakeServer, device: Start, tmp_path: Path
) -> None:
    device().answer(VALUES)
    before = memo_files(tmp_path)[0].read_bytes()
    device().forget()
    assert memo_files(tmp_path) == []
    device().rejoin()
    server.open_round("small", "2")
    device().answer(VALUES)
    after = memo_files(tmp_path)[0].read_bytes()
    assert after[32:] != before[32:]
    spent = status(str(tmp_path / "harmony"), 1.8e9)
    assert spent["spent in all if answers stayed"] == 2.2, "two memos, each at most log 3"


def test_withdrawn_consent_deletes_the_memo(
    server: FakeServer, device: Start, tmp_path: Path
) -> None:
    device().answer(VALUES)
    device(consent=False).answer(VALUES)
    assert memo_files(tmp_path) == []


def test_a_damaged_memo_is_another_one_in_the_ledger(
    server: FakeServer, device: Start, tmp_path: Path
) -> None:
    device().answer(VALUES)
    (file,) = memo_files(tmp_path)
    file.write_bytes(file.read_bytes()[:-1])
    server.open_round("small", "2")
    device().answer(VALUES)
    first, second = (one.charge for one in device().ledger())
    assert first.memo != second.memo
    assert steady_spending([first, second]) / BILLION == 2.2


def test_what_is_drawn_and_kept_does_not_depend_on_the_values(
    server: FakeServer, tmp_path: Path, transport: Any, clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    drawn: list[int] = []
    real = os.urandom
    monkeypatch.setattr(os, "urandom", lambda count: drawn.append(count) or real(count))
    seen = []
    for values in ({"battery": 0, "wifi": True, "age": 1}, {"battery": math.nan}, {"age": 89}):
        drawn.clear()
        server.enrolments = 0  # the same id: the same coin
        server.devices.clear()
        directory = tmp_path / str(len(seen))
        for label in "12":
            server.open_round("small", label)
            device = Device(
                "https://stats.example", directory,
                record={"battery": float, "wifi": bool, "age": int}, consent=True,
                epsilon_limit=9, transport=transport, clock=clock, sleep=clock.sleep,
            )  # fmt: skip
            assert device.answer(values).answered
        sizes = {str(file.relative_to(directory)): file.stat().st_size
                 for file in directory.rglob("*") if file.parent.name != "outbox"}  # fmt: skip
        seen.append((tuple(drawn), sorted(sizes.items())))
        server.reports.clear()
    assert seen[0] == seen[1] == seen[2]
    assert 8 + 8 * 3 in seen[0][0], "the memo: its name, a word to round with, one for each index"


def test_reports_keep_the_memo_as_often_as_the_table_says() -> None:
    """4,000 reports of one memo: five standard errors, false alarms below 1e-6."""
    survey = Survey(remembering_survey(), FINGERPRINT)
    device = next(
        bytes([one]) * 16 for one in range(256)
        if ask(survey, b"", bytes([one]) * 16, 0)[0][0] == 1
    )  # fmt: skip
    for memo, kept in (([0, 0, 0], 1), ([0, 0, 2**64 - 1], 0)):
        # index of True is 1; its word is the third: 0 walks to offset 0, all ones to offset 1
        reports = Counter(
            make_report(survey, bytes(16), device, 0, VALUES, os.urandom, memo)[-1]
            for _ in range(4000)
        )
        assert abs(reports[kept] - 3000) < 5 * math.sqrt(4000 * 0.75 * 0.25)


def test_a_number_is_rounded_by_the_memo_and_so_in_every_round_alike() -> None:
    survey = Survey(remembering_survey(), FINGERPRINT)
    device = next(
        bytes([one]) * 16 for one in range(256)
        if ask(survey, b"", bytes([one]) * 16, 0)[0][0] == 0
    )  # fmt: skip
    keep_all = lambda count: bytes(count)  # noqa: E731  every draw keeps the memo
    for battery, dither, index in ((30.0, 0, 1), (30.0, 2**64 - 1, 0), (None, 2**63, 1)):
        memo = [dither, 0, 2**64 - 1]  # words that walk to the index itself
        report = make_report(survey, bytes(16), device, 0, {"battery": battery}, keep_all, memo)
        assert report[-1] == index


def test_the_ledger_says_what_a_report_costs_in_every_way(
    server: FakeServer, device: Start, tmp_path: Path
) -> None:
    device().answer(VALUES)
    line = json.loads((tmp_path / "harmony" / "ledger.jsonl").read_text().splitlines()[0])
    assert (line["epsilon"], line["memory"], line["change"]) == (0.52, 1.1, 1.1)
    assert len(line["memo"]) == 16
    assert "at worst 1.1; 1.1 for all while the answer stays" in repr(device().ledger()[0])


def test_limits_count_the_worst_case_unless_the_app_says_steady(
    server: FakeServer, device: Start
) -> None:
    worst, steady = (
        {"epsilon_limit": 2.5},
        {"epsilon_limit": EpsilonLimit(per_30_days=1.2, steady=True)},
    )
    answered = {"worst": 0, "steady": 0}
    for number in range(6):
        server.open_round("small", f"w{number}")
        answered["worst"] += len(device(**worst).answer(VALUES).answered)
    assert answered["worst"] == 2, "two changes of 1.1, and no third"
    for number in range(6):
        server.open_round("small", f"s{number}")
        answered["steady"] += len(device(**steady).answer(VALUES).answered)
    assert answered["steady"] == 6, "1.1 for all of them, with those before"


def test_a_report_limit_counts_a_change_too(server: FakeServer, device: Start) -> None:
    visit = device(epsilon_limit=EpsilonLimit(per_report=1.0, per_30_days=9)).answer(VALUES)
    assert visit.skipped["small"] == "per_report: 0 spent and 1.1 asked, the limit is 1"
    limit = EpsilonLimit(per_report=0.52, per_30_days=9, steady=True)
    assert device(epsilon_limit=limit).answer(VALUES).answered


def test_steady_counts_other_surveys_in_full() -> None:
    charges = [Charge(1.0, 2.0, 1.5, "a")] * 3 + [Charge(1.0, 2.0, 1.5, "b")] + [Charge(0.5)]
    assert steady_spending(charges) / BILLION == 2.0 + 1.5 + 0.5
    assert worst_spending(charges) / BILLION == 4 * 1.5 + 0.5


@pytest.mark.parametrize(
    "line",
    [
        {"memo": 7, "memory": 2, "change": 1},
        {"memo": "a", "memory": 2},
        {"memo": "a", "change": 2},
        {"memo": "a", "memory": 0, "change": 1},
        {"memo": "a", "memory": 2, "change": -1},
        {"memo": "a", "memory": "much", "change": 1},
        {"number": -1},
        {"number": 1.5},
        {"number": "1"},
    ],
)
def test_a_line_that_says_it_wrongly_is_damage(line: dict[str, Any], tmp_path: Path) -> None:
    from harmony_device import LedgerError

    written = {"at": "2026-11-16T12:00:00Z", "event": "answered", "survey": "s", "round": "r",
               "epsilon": 1.0, "asked": ["x"], **line}  # fmt: skip
    (tmp_path / "ledger.jsonl").write_text(json.dumps(written) + "\n")
    with pytest.raises(LedgerError, match="damaged"):
        Ledger(str(tmp_path)).entries()


def test_memos_have_a_bound_together(server: FakeServer, device: Start, tmp_path: Path) -> None:
    folder = tmp_path / "harmony" / "memos"
    folder.mkdir(parents=True)
    (folder / ("00" * 32)).write_bytes(bytes((1 << 20) - 95))
    visit = device().answer(VALUES)
    assert "memos take" in visit.skipped["small"]
    assert device().ledger() == []


def test_a_memo_of_another_device_is_not_used(tmp_path: Path) -> None:
    memos = Memos(str(tmp_path))
    memos.draw(FINGERPRINT, bytes(16), 3, os.urandom)
    assert memos.read(FINGERPRINT, b"another device..", 3) is None
    assert memos.read(FINGERPRINT, bytes(16), 4) is None
    assert memos.read(FINGERPRINT, bytes(16), 3) is not None


def changed(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    document = remembering_survey()
    change(document)
    return document


@pytest.mark.parametrize(
    ("field", "document"),
    [
        ("memory", remembering_survey(memory=1.09)),
        ("epsilon", remembering_survey(epsilon=0.51)),
        ("change", remembering_survey(change=1.09)),
        ("memory", remembering_survey(memory=None)),
        ("change", remembering_survey(change=None)),
        ("memory", remembering_survey(memory="much")),
        ("change", remembering_survey(change=21)),
        ("epsilon", remembering_survey(answers=2)),
        ("tiers", changed(lambda one: one.update(epsilon=None, tiers=[0.52]))),
        ("replace", changed(lambda one: one.update(memory=None, change=None))),
        ("replace", changed(lambda one: one["attributes"][1]["mechanisms"][0].pop("replace"))),
        ("replace", changed(lambda one: one["attributes"][1]["mechanisms"][0].update(replace=0))),
        ("replace", changed(lambda one: one["attributes"][1]["mechanisms"][0].update(replace=3))),
        ("table", changed(lambda one: one["attributes"][1]["mechanisms"][0].update(table=2))),
        ("symbols", changed(lambda one: one["tables"][2].update(
            counts=[HALF, QUARTER, 1 << 50, 1 << 50]))),
        ("counts", changed(lambda one: one["tables"][2].update(counts=[HALF, HALF]))),
        ("sum", changed(lambda one: one["tables"][2].update(counts=[HALF, QUARTER, QUARTER - 1]))),
        ("positive", changed(lambda one: one["tables"][2].update(counts=[HALF, HALF, 0]))),
    ],
)  # fmt: skip
def test_what_breaks_a_promise_of_memory_is_refused(field: str, document: dict[str, Any]) -> None:
    with pytest.raises(RefusedError, match=field):
        Survey(document, FINGERPRINT)


def test_a_survey_that_would_need_too_many_words_is_refused() -> None:
    def large(one: dict[str, Any]) -> None:
        size = 8192
        low = (1 << 53) // (size + 2)
        one["tables"].append({"kind": "circulant", "counts": [(1 << 53) - (size - 1) * low]
                              + [low] * (size - 1)})  # fmt: skip
        one["tables"].append({"kind": "replace", "counts": [(1 << 53) - size * (1 << 39)]
                              + [1 << 39] * size})  # fmt: skip
        one["attributes"][1]["mechanisms"][0] |= {"base": size, "table": 3, "replace": 4}
        one.update(memory=20.0, epsilon=20.0, change=20.0)

    with pytest.raises(RefusedError, match="more than 8192 words"):
        Survey(changed(large), FINGERPRINT)


def test_the_number_of_words_depends_on_what_is_asked_alone() -> None:
    survey = Survey(remembering_survey(), FINGERPRINT)
    assert [memo_words(survey, [(place, 0)]) for place in range(3)] == [3, 3, 3]
    assert memo_words(survey, [(0, 0), (2, 1)]) == 6


def test_a_report_without_the_memo_is_a_mistake_of_the_caller() -> None:
    survey = Survey(remembering_survey(), FINGERPRINT)
    with pytest.raises(ValueError, match="needs the device's memo"):
        make_report(survey, bytes(16), bytes(16), 0, VALUES, os.urandom)
