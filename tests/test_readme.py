"""The README: half a page of prose, whose examples do what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import yaml

import harmony as hm
from harmony.service.settings import Settings
from harmony.service.state import ServiceState
from tests.service.server_process import Connection, ServerProcess
from tests.site.code_blocks import examples_of, needs_server, run

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
MOST_WORDS = 600


def test_it_is_short() -> None:
    assert len(README.split()) <= MOST_WORDS


def test_the_truth_that_it_tells_is_the_truth() -> None:
    people = hm.datasets.phones(1_000_000)
    assert f"a mean of {people['battery'].mean():.2f}" in README
    shares = [np.mean(people["theme"] == theme) for theme in ("light", "dark", "auto")]
    assert "and {:.0%}, {:.0%} and {:.0%}".format(*shares) in README


def test_its_device_answers_a_real_server(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (example,) = [one for one in examples_of(README) if needs_server(one)]
    place = f"sqlite:///{tmp_path / 'harmony.sqlite'}"
    state = ServiceState(Settings.load(database=place))
    admin = {"Authorization": f"Bearer {state.tokens.create('test', 'admin')[0]}"}
    state.database.close()
    survey = yaml.safe_load((Path(__file__).parents[1] / "examples/phones.yaml").read_text())
    survey["attributes"] = [
        one for one in survey["attributes"] if one["name"] in ("battery", "theme")
    ]
    with ServerProcess(place, tmp_path / "server.log") as server:
        operator = Connection(server.port)
        assert operator.request("POST", "/v1/surveys", survey, admin)[0] == 201
        rounds = "/v1/surveys/phones/rounds"
        assert operator.request("POST", rounds, {"label": "now"}, admin)[0] == 201
        address = f"127.0.0.1:{server.port}"
        given = run(example.code.text.replace("localhost:8000", address), {})
        operator.close()
    assert example.shown is not None
    assert given == example.shown.text
