"""The sample: invented phones, the same every time, that hang together."""

from __future__ import annotations

import numpy as np
import pytest

import harmony as hm


def test_the_same_seed_gives_the_same_phones_and_another_gives_others() -> None:
    first, again, other = (hm.datasets.phones(500, seed) for seed in (3, 3, 4))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["battery"], other["battery"])


def test_the_phones_fit_the_examples_of_the_repository() -> None:
    from pathlib import Path

    from harmony.files import read_structured

    examples = Path(__file__).parents[2] / "examples"
    people = hm.datasets.phones(500)
    hm.Survey.load(examples / "phones.yaml").collect(people, seed=1, strict=True)
    crashes = read_structured(examples / "crashes.yaml")
    wanted = {crashes["label"]["name"], *(one["name"] for one in crashes["features"])}
    assert wanted <= people.keys()


def test_habits_go_together() -> None:
    people = hm.datasets.phones(20_000)
    crashed = people["crashed"]
    assert people["battery"][crashed].mean() > people["battery"][~crashed].mean() + 10
    assert (people["maker"] == "Alder").mean() > 5 * (people["maker"] == "Pine").mean()


@pytest.mark.parametrize("devices", [0, -1, 2.5, "many", True, 10**9])
def test_absurd_sizes_are_refused(devices: object) -> None:
    with pytest.raises(hm.HarmonyError, match="'devices' must be an integer"):
        hm.datasets.phones(devices)  # type: ignore[arg-type]
