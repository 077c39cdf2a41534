"""What a device's owner reads and decides: status, limits, and being forgotten everywhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import harmony_device
from harmony_device import Device, Entry, EpsilonLimit
from harmony_device.__main__ import main
from harmony_device.consent import Consent
from harmony_device.ledger import Ledger
from harmony_device.limits import Charge
from harmony_device.outbox import Outbox
from harmony_device.status import status

from .conftest import RECORD, VALUES, Clock, small_survey
from .fake_server import FakeServer, serving

Start = Callable[..., Device]
DAY = 86400.0


def spent(*epsilons: float, at: float = 0.0, round: str = "1") -> list[Entry]:
    """Return ledger entries that spent these epsilons."""
    return [
        Entry(at, f"survey{place}", round, Charge(one), []) for place, one in enumerate(epsilons)
    ]


def test_the_status_says_who_what_waits_and_what_was_spent(
    device: Start, server: FakeServer, clock: Clock, tmp_path: Path
) -> None:
    directory = str(tmp_path / "harmony")
    device(record={}).answer({})
    Ledger(directory).charge(clock.now - 31 * DAY, "old", "1", Charge(4.0), ["x"])
    server.faults = [None, (503, {"Retry-After": "100"})]
    device().answer(VALUES)
    waiting = Outbox(directory)
    assert status(directory, clock.now + 30) == {
        "directory": directory,
        "server": "https://stats.example",
        "device": next(iter(server.devices)),
        "withdrawn": False,
        "deletions to confirm": 0,
        "rounds answered": 2,
        "spent in 30 days": 1.0,
        "spent in 30 days if answers stayed": 1.0,
        "spent in all": 5.0,
        "spent in all if answers stayed": 5.0,
        "bytes of memos": 0,
        "reports waiting": 1,
        "bytes waiting": waiting.bytes(),
        "seconds until the next attempt": 70.0,
    }
    assert waiting.bytes() > 0


def test_the_status_after_forgetting_offline(
    device: Start, server: FakeServer, clock: Clock, tmp_path: Path
) -> None:
    device().answer(VALUES)
    server.faults = ["lost request"]
    device().forget()
    found = status(str(tmp_path / "harmony"), clock.now)
    assert (found["server"], found["device"]) == (None, None)
    assert (found["withdrawn"], found["deletions to confirm"]) == (True, 1)


@pytest.mark.parametrize(("days", "counted"), [(29.999, 1.0), (30.0, 0.0)])
def test_what_was_spent_counts_for_thirty_days(days: float, counted: float, tmp_path: Path) -> None:
    Ledger(str(tmp_path)).charge(1.8e9, "small", "1", Charge(1.0), ["x"])
    assert status(str(tmp_path), 1.8e9 + days * DAY)["spent in 30 days"] == counted
    limit = EpsilonLimit(per_30_days=1)
    objection = limit.objection(
        Charge(1.0), "2", Ledger(str(tmp_path)).entries(), 1.8e9 + days * DAY
    )
    assert (objection is None) == (counted == 0)


def test_what_is_exactly_the_limit_may_be_spent() -> None:
    limit = EpsilonLimit(per_report=1, per_round=2, per_30_days=3)
    assert limit.objection(Charge(1.0), "1", spent(1.0), 0.0) is None
    assert limit.objection(Charge(1.0), "2", spent(1.0, 1.0), 0.0) is None


@pytest.mark.parametrize(
    ("epsilon", "round", "entries", "said"),
    [
        (1.1, "1", [], "per_report: 0 spent and 1.1 asked, the limit is 1"),
        (1.0, "1", spent(1.0, 0.5), "per_round: 1.5 spent and 1 asked, the limit is 2"),
        (1.0, "2", spent(1.0, 1.5), "per_30_days: 2.5 spent and 1 asked, the limit is 3"),
        (float("nan"), "1", [], "per_report: 0 spent and nan asked, the limit is 1"),
        (1e308, "1", [], "per_report: 0 spent and 1e+308 asked, the limit is 1"),
        (float("inf"), "1", [], "per_report: 0 spent and inf asked, the limit is 1"),
    ],
)
def test_an_objection_names_the_limit(
    epsilon: float, round: str, entries: list[Entry], said: str
) -> None:
    limit = EpsilonLimit(per_report=1, per_round=2, per_30_days=3)
    assert limit.objection(Charge(epsilon), round, iter(entries), 0.0) == said


def test_a_limit_that_is_not_given_is_the_next_wider_one() -> None:
    limit = EpsilonLimit(per_round=2, per_30_days=3)
    assert (limit.per_report, limit.per_round, limit.per_30_days) == (2.0, 2.0, 3.0)
    assert repr(limit) == "EpsilonLimit(per_report=2.0, per_round=2.0, per_30_days=3.0)"
    assert EpsilonLimit(per_report=0, per_30_days=3).per_report == 0.0
    assert EpsilonLimit.of(limit) is limit


@pytest.mark.parametrize("field", ["per_report", "per_round", "per_30_days"])
@pytest.mark.parametrize("limit", [-0.001, float("nan"), "1", True])
def test_each_limit_is_a_number(field: str, limit: Any) -> None:
    with pytest.raises(ValueError, match=f"'{field}' must be a number that is zero or more"):
        EpsilonLimit(**{"per_30_days": 3, field: limit})


@pytest.mark.parametrize(
    ("tiers", "left", "chosen"),
    [([0.5, 2.0, 1.0], 5.0, 1), ([0.5, 2.0, 1.0], 1.5, 2), ([0.5, 2.0, 1.0], 0.5, 0)],
)
def test_the_tier_of_most_epsilon_is_chosen_wherever_it_is_listed(
    tiers: list[float], left: float, chosen: int
) -> None:
    assert EpsilonLimit.of(left).choose([*map(Charge, tiers)], "1", iter([]), 0.0) == (chosen, None)


def test_what_was_spent_counts_for_every_tier() -> None:
    tier, objection = EpsilonLimit.of(1.2).choose(
        [Charge(2.0), Charge(0.5)], "1", iter(spent(1.0)), 0.0
    )
    assert (tier, objection) == (1, "per_round: 1 spent and 0.5 asked, the limit is 1.2")


def test_an_objection_to_all_tiers_is_that_to_the_cheapest() -> None:
    _, objection = EpsilonLimit.of(0.4).choose(
        [Charge(2.0), Charge(0.5), Charge(1.0)], "1", [], 0.0
    )
    assert objection == "per_report: 0 spent and 0.5 asked, the limit is 0.4"


@pytest.fixture
def moved(tmp_path: Path) -> Iterator[tuple[FakeServer, FakeServer]]:
    """Two servers that have not confirmed a deletion: the app moved from one to the other."""
    servers = FakeServer(small_survey()), FakeServer(small_survey())
    servers[1].enrolments = 7  # so that it issues another id
    with serving(servers[0]) as url, serving(servers[1]) as other:
        for server, at in zip(servers, (url, other), strict=True):
            with Device(at, tmp_path, record=RECORD, consent=True, epsilon_limit=9) as device:
                device.rejoin()
                device.answer(VALUES)
                server.faults = ["lost request", "lost request"]
                assert device.forget() is False
            server.faults = []
        yield servers


def test_forget_asks_every_server_that_still_has_an_identity(
    moved: tuple[FakeServer, FakeServer], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["forget", "--directory", str(tmp_path)]) == 0
    assert [server.devices for server in moved] == [{}, {}]
    assert capsys.readouterr().out == "forgotten, here and at the server\n"


@pytest.mark.parametrize("away", [0, 1])
def test_forget_fails_while_one_of_two_servers_has_not_confirmed(
    away: int,
    moved: tuple[FakeServer, FakeServer],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    moved[away].faults = [503]
    assert main(["forget", "--directory", str(tmp_path)]) == 3
    assert [len(server.devices) for server in moved] == [1 - away, away]
    assert "not confirmed yet" in capsys.readouterr().out


def test_forget_reaches_a_server_without_tls_only_when_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    identity = {"server": "http://stats.invalid", "device": "ab" * 16, "credential": "c"}
    (tmp_path / "identity.json").write_text(json.dumps(identity))
    with pytest.raises(ValueError, match="plain http"):
        main(["forget", "--directory", str(tmp_path)])
    tried: list[str] = []
    monkeypatch.setattr(Device, "forget", lambda device: tried.append(device._server.url))
    main(["forget", "--directory", str(tmp_path), "--plain-http"])
    assert tried == ["http://stats.invalid"]


@pytest.mark.parametrize("arguments", [[], ["status"], ["forget", "--json", "--directory", "."]])
def test_a_command_that_is_not_whole_is_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2


def test_the_help_says_what_each_command_does(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    assert said.startswith("usage: python -m harmony_device")
    assert "what a device's owner may ask of it" in said
    assert "what was asked, when, and how much epsilon it spent" in said
    with pytest.raises(SystemExit):
        main(["status", "--help"])
    assert "print JSON" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["forget", "--help"])
    said = capsys.readouterr().out
    assert "withdraw consent" in said
    assert "the device's directory" in said
    assert "allow a server without TLS" in said


def test_a_file_that_cannot_be_read_is_told_not_raised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ledger.jsonl").mkdir()
    assert main(["ledger", "--directory", str(tmp_path)]) == 1
    assert "ledger.jsonl" in capsys.readouterr().err


def test_the_ledger_ends_with_what_was_spent(
    device: Start, server: FakeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Ledger(str(tmp_path)).charge(0.0, "old", "1", Charge(1.5), ["x", "y"])
    assert main(["ledger", "--directory", str(tmp_path)]) == 0
    assert capsys.readouterr().out == (
        "1970-01-01T00:00:00Z  old  1  epsilon 1.5  asked x, y  waiting\n"
        "epsilon 0 in 30 days, 1.5 in all\n"
    )
    assert main(["ledger", "--json", "--directory", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "at": "1970-01-01T00:00:00Z", "survey": "old", "round": "1", "epsilon": 1.5,
        "asked": ["x", "y"], "state": "waiting",
    }  # fmt: skip


@pytest.mark.parametrize("given", [True, False])
def test_an_owner_without_an_identity_is_forgotten_whatever_the_app_says(
    given: bool, tmp_path: Path
) -> None:
    consent = Consent(str(tmp_path), given)
    consent.forget(0.0)
    assert consent.is_given() is False
    assert consent.settle(0.0) is False
    consent.rejoin()
    assert consent.is_given() is given


def test_consent_that_was_never_given_leaves_no_directory(tmp_path: Path) -> None:
    assert Consent(str(tmp_path / "new"), False).settle(0.0) is False
    assert not (tmp_path / "new").exists()


def test_a_function_may_give_consent_and_take_it_back(device: Start, server: FakeServer) -> None:
    given = [True]
    running = device(consent=lambda: given[0])
    assert running.answer(VALUES).accepted == [("small", "1")]
    given[0] = False
    assert running.answer(VALUES).trouble == "consent is not given"
    assert server.devices == {}


def test_an_owner_who_was_forgotten_stays_so_when_the_app_changes_its_mind(
    device: Start, server: FakeServer
) -> None:
    device().answer(VALUES)
    device().forget()
    server.open_round("small", "2")
    for consent in (False, True):
        assert device(consent=consent).answer(VALUES).trouble == "consent is not given"


def test_consent_stays_withdrawn_until_every_identity_is_deleted(
    device: Start, server: FakeServer, clock: Clock, tmp_path: Path
) -> None:
    device().answer({})
    server.faults = [401, 401]
    device(consent=False).send()
    device().answer({})
    assert len(server.devices) == 2
    server.faults = [None, 503]
    device(consent=False).send()
    withdrawal = json.loads((tmp_path / "harmony" / "withdrawal.json").read_text())
    assert (withdrawal["withdrawn_by"], len(withdrawal["pending"])) == ("consent", 1)


def test_a_withdrawal_that_a_crash_interrupted_is_finished_once(
    device: Start, server: FakeServer, tmp_path: Path
) -> None:
    device().answer(VALUES)
    identity = tmp_path / "harmony" / "identity.json"
    kept = identity.read_bytes()
    server.faults = ["lost request"]
    device().forget()
    identity.write_bytes(kept)
    server.faults = ["lost request"]
    device().forget()
    withdrawal = json.loads((tmp_path / "harmony" / "withdrawal.json").read_text())
    assert len(withdrawal["pending"]) == 1
    assert not identity.exists()


def test_public_names_come_from_their_modules() -> None:
    assert harmony_device.__getattr__("Entry") is Entry
    assert vars(harmony_device)["Entry"] is Entry
    assert dir(harmony_device) == sorted(dir(harmony_device))
