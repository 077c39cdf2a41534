"""A live exploration over HTTP: thousands of devices, of which some die, and a killed server."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import harmony as hm
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from harmony_device import Device

from .exploration import explored_again
from .fleet import Fleet
from .server_process import ServerProcess
from .test_training_live import dies, join, serve_impatiently, started, wait_for
from .training import check_tallies
from .waiting import STUCK_SECONDS, wait_until

pytestmark = pytest.mark.timeout(1200)  # it takes a minute or two, and longer if others work too

WORDS = hm.Exploration("words", hm.Text("word", bits=34), 4.0, devices=17_000)


def word_of(number: int) -> str:
    """Half of the devices have one word, a quarter another, and the others one of their own."""
    return ("weather", "news", "weather", f"own {number * 2654435761 % 2**32:x}")[number % 4]


def visit(server: ServerProcess, folder: Path, number: int) -> str:
    """Take part as a real device; return what its ledger says of the report."""
    address = f"http://127.0.0.1:{server.port}"
    options = {"record": {"word": str}, "consent": True, "epsilon_limit": 4.0}
    with Device(address, folder, **options) as device:  # type: ignore[arg-type]
        device.answer({"word": word_of(number)}, patience=STUCK_SECONDS)
        assert device.answer({"word": word_of(number)}, patience=1.0).answered == []
        entries = device.ledger()
    assert len(entries) <= 1
    return entries[0].state if entries else "never asked"


def has_ended(state: ServiceState) -> bool:
    state.catalogue.reload()
    return state.trainings.training("words").ended is not None


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_twenty_thousand_devices_explore_while_some_die_and_the_server_is_killed_twice(
    place: str, tmp_path: Path, memory_folder: Path
) -> None:
    """The words are far more common than the 2% that are found: no false alarm is expected.

    What begins the others' own words may be found, too: each "own a..." is that of 1.6%.
    """
    real, records = 100, [{"word": word_of(number)} for number in range(20_000)]
    state = ServiceState(Settings.load(database=place))
    state.trainings.create(WORDS.to_document(), step_seconds=3600.0, least=None)
    with ServerProcess(place, tmp_path / "server.log", target=serve_impatiently) as server:
        fleet = Fleet([server.port], "words", records[6_000:], state.credentials.issue, dies)
        running = started(fleet)
        with ThreadPoolExecutor(4) as pool:
            visits = pool.map(
                lambda number: visit(server, memory_folder / str(number), number), range(real)
            )
            for heard in (5_000, 12_000):
                wait_for(fleet, lambda heard=heard: len(fleet.accepted) >= heard)
                server.kill()
                server.start()
            join(running, fleet)
            said = list(visits)
        fleet.records = records[real:6_000]  # without these the exploration could not end
        join(started(fleet), fleet)
        wait_until(lambda: has_ended(state), "the exploration to end")
        assert server.stop() == 0
    assert sum(check_tallies(state, "words")) >= 17_000
    assert said.count("accepted") > real // 2
    assert fleet.dead > 700
    progress = state.trainings.progress("words")
    assert progress.refused == 0
    findings = progress.explorer.findings
    assert findings is not None
    assert findings == explored_again(state, "words").findings
    assert [one.text for one in findings][:2] == ["weather", "news"]
    state.database.close()
