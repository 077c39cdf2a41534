"""Devices of strata: what they are asked, and their reports, each made as a device makes it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import harmony as hm
from harmony.rounds import Round
from harmony.service.ingest.packed import pack
from harmony.service.state import ServiceState
from harmony.service.stores import open_store
from harmony.service.strata import new_id, read_key, read_names
from harmony.tally import Tally
from harmony_device.report import make_report
from harmony_device.survey import Survey as DeviceSurvey

QUESTIONS = hm.Survey(
    "habits",
    [
        hm.Numeric("age", 0, 120),
        hm.Distribution("screen", 0, 600),
        hm.Boolean("wifi"),
        hm.Categorical("theme", ["light", "dark", "auto"], missing="auto"),
        hm.Crosstab("wifi", "theme"),
        hm.Crosstab("theme", hm.Numeric("battery", 0, 100)),
    ],
    epsilon=4.0,
)
"""One question of each kind."""

POPULATION = {"1.x": 0.3, "2.x": 0.7}


def habits(devices: int, shift: float, seed: int) -> list[dict[str, Any]]:
    """Invent people; those of another `shift` have other habits."""
    random = np.random.default_rng(seed)
    return [
        {
            "age": float(random.uniform(20, 60) + 20 * shift),
            "screen": float(min(600, random.gamma(2, 50 + 80 * shift))),
            "wifi": bool(random.random() < 0.3 + 0.5 * shift),
            "theme": str(random.choice(["light", "dark", "auto"])),
            "battery": float(np.clip(random.normal(40 + 30 * shift, 10), 0, 100)),
        }
        for _ in range(devices)
    ]


def packed_reports(
    survey: hm.Survey, round: Round, ids: Sequence[bytes], people: Sequence[Mapping[str, Any]]
) -> bytes:
    """Return a gateway's batch: the reports of these devices, whose people are these."""
    asked = DeviceSurvey.from_json(survey.document_bytes)
    reports = [
        make_report(asked, round.seed, device, 0, values, os.urandom)
        for device, values in zip(ids, people, strict=True)
    ]
    return pack(survey.fingerprint, round.label, b"".join(reports), len(reports[0]))


def new_ids(state: ServiceState, stratum: str, devices: int) -> list[bytes]:
    """Draw the ids of devices as they get them that enrol with a key of the stratum."""
    with state.database.read() as connection:
        numbers = {name: number for number, name in read_names(connection).items()}
        key = read_key(connection)
    return [new_id(numbers.get(stratum, 0), key) for _ in range(devices)]


def count_again(
    state: ServiceState, survey: str, label: str, strata: Mapping[str, Sequence[bytes]]
) -> dict[str, Tally]:
    """Count the stored reports of each stratum, whose devices the test knows, from nothing."""
    live = state.catalogue.round(survey, label).live
    members = {device: name for name, ids in strata.items() for device in ids}
    counts = {name: np.zeros(live.coins.cells, np.int64) for name in strata}
    tiers = {name: [0] * len(live.survey.tiers) for name in strata}
    store = open_store(state.database)
    for rows in store.stored(live):
        for row, cells in zip(rows, live.locate(rows), strict=True):
            name = members[row[:16].tobytes()]
            np.add.at(counts[name], cells, 1)
            tiers[name][row[16]] += 1
    store.close()
    return {
        name: Tally.of(live.survey, live.round, counts[name], tuple(tiers[name])) for name in strata
    }
