"""One identity at a time: it is kept whole, changes under no one's feet, and leaves no trace."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harmony_device import Device
from harmony_device.errors import ServerError
from harmony_device.identity import Identity, IdentityFile, Withdrawal

from .conftest import RECORD, VALUES, Clock
from .fake_server import DirectTransport, FakeServer

Start = Callable[..., Device]
DAY = 86400.0
ISSUED = {"device": "ab" * 16, "credential": "1-secret"}


def kept(tmp_path: Path, name: str) -> Any:
    """Return what a file of the device's directory holds."""
    return json.loads((tmp_path / "harmony" / name).read_text())


def test_an_identity_that_changes_during_a_visit_spends_nothing(
    device: Start, server: FakeServer
) -> None:
    """Another process forgets, joins again and enrols while this one reads its values."""
    changed = []

    def value_of(name: str) -> object:
        if not changed:
            changed.append(name)
            device().forget()
            device().rejoin()
            device(record={}).answer({})  # enrols, and has nothing to tell
        return VALUES[name]

    assert device().answer(value_of).trouble == "consent is not given"
    assert server.enrolments == 2
    assert (device().ledger(), server.seen) == ([], [])


def test_an_identity_that_vanishes_during_a_visit_spends_nothing(
    device: Start, server: FakeServer, tmp_path: Path
) -> None:
    def value_of(name: str) -> object:
        (tmp_path / "harmony" / "identity.json").unlink(missing_ok=True)
        return VALUES[name]

    assert device().answer(value_of).trouble == "consent is not given"
    assert (device().ledger(), server.seen) == ([], [])


def test_a_credential_renewed_during_a_visit_is_no_other_identity(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    device().answer(VALUES)
    server.open_round("small", "2")
    renewed = []

    def value_of(name: str) -> object:
        if not renewed:
            renewed.append(name)
            clock.now += 31 * DAY
            device(record={}).answer({})
        return VALUES[name]

    assert device().answer(value_of).answered == [("small", "2")]
    assert server.paths()["POST /v1/devices/me"] == 1


def test_a_withdrawal_is_on_disk_before_the_identity_is_gone(
    device: Start, transport: DirectTransport, clock: Clock, tmp_path: Path
) -> None:
    device().answer(VALUES)
    identity = kept(tmp_path, "identity.json")
    transport.online = False
    device().forget()
    withdrawn = kept(tmp_path, "withdrawal.json")
    assert withdrawn == {"withdrawn_by": "forget", "pending": [{**identity, "since": clock.now}]}
    assert not (tmp_path / "harmony" / "identity.json").exists()


def test_consent_that_ends_is_written_down_until_the_server_has_deleted(
    device: Start, server: FakeServer, transport: DirectTransport, clock: Clock, tmp_path: Path
) -> None:
    device().answer(VALUES)
    transport.online = False
    device(consent=False).send()
    assert kept(tmp_path, "withdrawal.json")["withdrawn_by"] == "consent"
    transport.online = True
    clock.now += 60
    device(consent=False).send()
    assert server.devices == {}
    assert not (tmp_path / "harmony" / "withdrawal.json").exists()


def test_consent_given_again_offline_still_deletes_the_old_identity(
    device: Start, server: FakeServer, transport: DirectTransport, clock: Clock, tmp_path: Path
) -> None:
    device().answer(VALUES)
    transport.online = False
    device(consent=False).send()
    clock.now += 60
    device().send()
    assert kept(tmp_path, "withdrawal.json")["withdrawn_by"] is None
    assert len(kept(tmp_path, "withdrawal.json")["pending"]) == 1
    transport.online = True
    clock.now += 60
    server.open_round("small", "2")
    assert device().answer(VALUES).accepted == [("small", "2")]
    assert (len(server.devices), server.enrolments) == (1, 2)


def test_several_identities_are_deleted_one_after_the_other(
    device: Start, server: FakeServer, tmp_path: Path
) -> None:
    """A server that mislays its keys leaves two identities to delete; it confirms one at a time."""
    device().answer({})
    server.faults = [401]
    assert device().forget() is False
    device().rejoin()
    server.faults = [401]
    device().answer({})
    server.faults = [401, 401]
    assert device().forget() is False
    assert (len(server.devices), len(kept(tmp_path, "withdrawal.json")["pending"])) == (2, 2)
    server.faults = [None, 503]
    assert device().forget() is False
    assert (len(server.devices), len(kept(tmp_path, "withdrawal.json")["pending"])) == (1, 1)
    assert device().forget() is True
    assert server.devices == {}


def test_a_deletion_that_the_server_will_not_authorise_is_given_up_after_90_days(
    device: Start, server: FakeServer, clock: Clock, tmp_path: Path
) -> None:
    device().answer(VALUES)
    server.devices.clear()  # its keys are lost, say
    assert device().forget() is False
    clock.now += 90 * DAY
    device().send()
    assert len(kept(tmp_path, "withdrawal.json")["pending"]) == 1
    clock.now += 1
    device().send()
    assert kept(tmp_path, "withdrawal.json") == {"withdrawn_by": "forget", "pending": []}


def test_a_deletion_that_a_server_in_trouble_has_not_made_is_never_given_up(
    device: Start, server: FakeServer, clock: Clock
) -> None:
    device().answer(VALUES)
    server.faults = [503, 503]
    assert device().forget() is False
    clock.now += 100 * DAY
    visit = device().send()
    assert visit.trouble == "deletion: the server answered 503"
    assert visit.next_attempt is not None
    clock.now += DAY
    device().send()
    assert server.devices == {}


@pytest.mark.parametrize("status", [200, 204, 404, 410])
def test_a_server_that_does_not_have_the_device_has_deleted_it(
    status: int, device: Start, server: FakeServer
) -> None:
    device().answer(VALUES)
    server.faults = [status]
    assert device().forget() is True


def test_an_identity_at_another_server_is_not_deleted_here(
    device: Start, server: FakeServer, clock: Clock, tmp_path: Path
) -> None:
    device().answer(VALUES)
    other = FakeServer()
    elsewhere = Device(
        "https://other.example", tmp_path / "harmony", record=RECORD, consent=True,
        epsilon_limit=9, transport=DirectTransport(other), clock=clock,
    )  # fmt: skip
    assert elsewhere.forget() is False
    assert elsewhere.send().trouble == "consent is not given"
    assert other.requests == []  # it would learn the credential
    assert len(server.devices) == 1
    assert device().forget() is True


@pytest.mark.parametrize(
    "change",
    [
        {"device": "ab" * 15},
        {"device": "ab" * 17},
        {"device": "xy" * 16},
        {"device": None},
        {"credential": ""},
        {"credential": "a" * 1001},
        {"credential": "two words"},
        {"credential": "tab\there"},
        {"credential": "naïve"},
        {"credential": None},
        {"credential": 7},
        {"renewed": "yesterday"},
        {"renewed": None},
        {"renewed": 10**399},  # beyond doubles
    ],
)
def test_what_is_no_identity_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ServerError, match="no usable 'device' and 'credential'"):
        Identity.from_document("https://stats.example", {**ISSUED, **change})


@pytest.mark.parametrize("document", [None, 7, [], {}, "text"])
def test_what_is_no_object_is_no_identity(document: Any) -> None:
    with pytest.raises(ServerError):
        Identity.from_document("https://stats.example", document)


@pytest.mark.parametrize("credential", ["a", "a" * 1000, "~!@#$%^&*()_+-={}[]|:;<>?,./"])
def test_an_identity_is_read_as_it_was_written(credential: str, tmp_path: Path) -> None:
    file = IdentityFile(str(tmp_path))
    assert file.read() is None
    file.write(Identity("https://stats.example", b"\x07" * 16, credential, 12.5))
    read = file.read()
    assert read is not None
    assert (read.server, read.device) == ("https://stats.example", b"\x07" * 16)
    assert (read.credential, read.renewed) == (credential, 12.5)
    assert read.authorization == f"Harmony {'07' * 16}.{credential}"
    assert repr(read) == f"<Identity {'07' * 16} at https://stats.example>"
    file.remove()
    assert file.read() is None


@pytest.mark.parametrize("kept", [ISSUED, {**ISSUED, "server": "s", "device": "ab"}, [], 7])
def test_an_identity_that_is_not_whole_counts_as_none(kept: Any, tmp_path: Path) -> None:
    (tmp_path / "identity.json").write_text(json.dumps(kept))
    assert IdentityFile(str(tmp_path)).read() is None


@pytest.mark.parametrize(
    "pending",
    [
        7,
        [7],
        [{}],
        [{**ISSUED, "server": "s"}],
        [{**ISSUED, "server": "s", "since": "x"}],
        [{"server": "s", "since": 1.0}],
        [{**ISSUED, "server": "s", "since": 10**399}],
    ],
)
def test_a_withdrawal_whose_identities_cannot_be_read_counts_as_withdrawn(
    pending: Any, tmp_path: Path
) -> None:
    (tmp_path / "withdrawal.json").write_text(
        json.dumps({"withdrawn_by": None, "pending": pending})
    )
    assert Withdrawal(str(tmp_path)).by == "forget"


def test_a_withdrawal_is_read_as_it_was_written(tmp_path: Path) -> None:
    withdrawal = Withdrawal(str(tmp_path))
    assert (withdrawal.by, withdrawal.pending) == (None, [])
    withdrawal.pending.append((Identity("https://stats.example", bytes(16), "c", 3.0), 5.0))
    withdrawal.write()
    read = Withdrawal(str(tmp_path))
    ((identity, since),) = read.pending
    assert (read.by, since, identity.renewed) == (None, 5.0, 3.0)
    read.pending = []
    read.write()
    assert list(tmp_path.iterdir()) == []
    read.by = "forget"
    read.write()
    assert Withdrawal(str(tmp_path)).by == "forget"


@pytest.mark.parametrize("nested", [b"[" * 100_000, b'{"server":' * 100_000])
def test_files_that_are_nested_too_deeply_are_damaged(nested: bytes, tmp_path: Path) -> None:
    (tmp_path / "identity.json").write_bytes(nested)
    (tmp_path / "withdrawal.json").write_bytes(nested)
    assert IdentityFile(str(tmp_path)).read() is None
    assert Withdrawal(str(tmp_path)).by == "forget"
