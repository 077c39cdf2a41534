"""Simulations of any size: the same tally however the devices are divided."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import harmony as hm
from harmony.bulk import collect as bulk
from harmony.engines import simulation
from harmony.engines.simulation import Simulation, invent

from .logs import SURVEYS, make_survey


@pytest.mark.parametrize("options", SURVEYS.values(), ids=SURVEYS.keys())
def test_the_division_into_chunks_and_threads_changes_nothing(
    options: dict, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = make_survey(options)
    people, tiers = invent(survey, 3)
    people, tiers = people.slice(0, 700), None if tiers is None else tiers[:700]
    whole = Simulation(survey, people, 10_000, seed=3, tiers=tiers).tally(threads=1)
    for module in (bulk, simulation):
        monkeypatch.setattr(module, "CHUNK", 97)
    again = Simulation(survey, people, 10_000, seed=3, tiers=tiers).tally(threads=3)
    assert again == whole
    repeated = pa.concat_tables([people] * 15).slice(0, 10_000)
    given = None if tiers is None else np.tile(tiers, 15)[:10_000]
    assert survey.collect(repeated, seed=3, tiers=given) == whole


def test_reports_of_a_simulation_count_to_its_tally() -> None:
    survey = make_survey({"epsilon": 1.0})
    people, _ = invent(survey, 3)
    made = Simulation(survey, people, 200_000, seed=3)
    reports = pa.concat_tables(made.reports())
    assert len(reports) == 200_000
    assert survey.tally(reports) == made.tally()


def test_every_kind_of_attribute_can_be_invented() -> None:
    survey = hm.Survey(
        "all",
        [
            hm.Numeric("level", -5, 5),
            hm.Numeric("age", 0, 100, bins=[0, 18, 65, 100]),
            hm.Categorical("theme", ["light", "dark"]),
            hm.Boolean("wifi"),
            hm.Integer("sims", 1, 4),
        ],
        tiers=[0.5, 1.0],
    )
    people, tiers = invent(survey, None)
    assert Simulation(survey, people, 100, tiers=tiers).tally().reports == 100


@pytest.mark.parametrize("devices", [0, -1, 1.5, 10**13])
def test_a_number_of_devices_that_makes_no_sense_is_refused(devices: int) -> None:
    survey = make_survey({"epsilon": 1.0})
    with pytest.raises(hm.DataError, match="'devices' must be an integer"):
        Simulation(survey, invent(survey, 0)[0], devices)
