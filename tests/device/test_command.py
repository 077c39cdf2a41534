"""`python -m harmony_device`: the owner reads the ledger and the status, and can be forgotten."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harmony_device import Device
from harmony_device.__main__ import main

from .conftest import RECORD, VALUES, small_survey
from .fake_server import FakeServer, serving

Start = Callable[..., Device]


def test_the_ledger_is_printed(
    device: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    device().answer(VALUES)
    assert main(["ledger", "--directory", str(tmp_path / "harmony")]) == 0
    printed = capsys.readouterr().out
    assert "2027-01-15T08:00:00Z  small  1  epsilon 1  asked " in printed
    assert "1 in all" in printed


def test_the_ledger_is_printed_as_json(
    device: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    device().answer(VALUES)
    assert main(["ledger", "--json", "--directory", str(tmp_path / "harmony")]) == 0
    line = json.loads(capsys.readouterr().out)
    assert (line["survey"], line["epsilon"], line["state"]) == ("small", 1.0, "accepted")


def test_the_status_is_printed_without_the_credential(
    device: Start, server: FakeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    device().answer(VALUES)
    assert main(["status", "--directory", str(tmp_path / "harmony")]) == 0
    printed = capsys.readouterr().out
    ((name, credential),) = server.devices.items()
    assert name in printed
    assert credential not in printed
    assert "rounds answered: 1" in printed
    assert main(["status", "--json", "--directory", str(tmp_path / "harmony")]) == 0
    assert json.loads(capsys.readouterr().out)["reports waiting"] == 0


def test_forget_deletes_here_and_at_the_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = FakeServer(small_survey())
    with serving(server) as url:
        with Device(url, tmp_path, record=RECORD, consent=True, epsilon_limit=9) as device:
            device.answer(VALUES)
        assert main(["forget", "--directory", str(tmp_path)]) == 0
        assert server.devices == {}
        assert "at the server" in capsys.readouterr().out
        with Device(url, tmp_path, record=RECORD, consent=True, epsilon_limit=9) as device:
            assert device.answer(VALUES).trouble == "consent is not given"


def test_forget_offline_says_so_and_can_be_run_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = FakeServer(small_survey())
    with serving(server) as url:
        with Device(url, tmp_path, record=RECORD, consent=True, epsilon_limit=9) as device:
            device.answer(VALUES)
        server.faults = ["lost request", 503]
        for _ in range(2):
            assert main(["forget", "--directory", str(tmp_path)]) == 3
            assert "not confirmed yet" in capsys.readouterr().out
        assert main(["forget", "--directory", str(tmp_path)]) == 0
    assert server.devices == {}


def test_forget_without_an_identity_still_lasts(tmp_path: Path) -> None:
    assert main(["forget", "--directory", str(tmp_path)]) == 0
    device = Device("https://stats.example", tmp_path, record=RECORD, consent=True, epsilon_limit=1)
    assert device.answer(VALUES).trouble == "consent is not given"


def test_a_directory_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["status", "--directory", str(tmp_path / "nowhere")]) == 2
    assert "no such directory" in capsys.readouterr().err


def test_a_damaged_ledger_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ledger.jsonl").write_text("damage\n")
    assert main(["ledger", "--directory", str(tmp_path)]) == 1
    assert "line 1: damaged" in capsys.readouterr().err
