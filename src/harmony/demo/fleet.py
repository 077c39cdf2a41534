"""The fleet: invented phones, so that the truth is known, and what they are asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..attributes import Boolean, Categorical, Numeric
from ..datasets import MAKERS, SYSTEMS, THEMES, invent
from ..questions import Part
from ..survey import Survey

Fleet = dict[str, Any]
"""A column of values for each attribute; row i is phone number i."""


RECORD: dict[str, type] = {
    "battery use": float, "memory use": float, "brightness": float, "theme": str,
    "location on": bool, "system": str, "maker": str, "app use": float, "system error": bool,
}  # fmt: skip
"""What a phone's app can tell."""


def fleet_survey(epsilon: float) -> Survey:
    """Return what the phones are asked: the paper's use case of section 1.1."""
    return Survey(
        "phone-fleet",
        epsilon=epsilon,
        purpose="To see what drains batteries, and for which phones to test.",
        attributes=[
            Numeric("battery use", 0, 100, question="How much of the battery was used today?"),
            Numeric("memory use", 0, 100, question="How much of the memory is in use?"),
            Numeric("brightness", 0, 100, question="How bright is the screen?"),
            Categorical("theme", THEMES, question="Which colours are chosen?"),
            Boolean("location on", question="May apps know where the phone is?"),
            Categorical("system", SYSTEMS, question="Which version of the system runs?"),
            Categorical("maker", MAKERS, question="Who made the phone?"),
        ],
    )


def simulate_fleet(devices: int, seed: int) -> Fleet:
    """Invent phones, those of `harmony.datasets`.

    >>> fleet = simulate_fleet(1000, seed=7)
    >>> len(fleet["maker"]), bool(0 <= fleet["battery use"].min())
    (1000, True)
    """
    found = invent(devices, seed)
    return {
        "battery use": found.battery,
        "memory use": found.memory,
        "brightness": found.brightness,
        "theme": _named(found.theme, THEMES),
        "location on": found.location,
        "system": _named(found.system, SYSTEMS),
        "maker": _named(found.maker, MAKERS),
        "app use": found.apps,
        "system error": found.crashed,
    }


def _named(places: NDArray[Any], names: tuple[str, ...]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(places, list(names))


def fleet_truth(attribute: Part, column: Any) -> dict[Any, float]:
    """Return the true mean (under None), or the true frequency of each value."""
    if isinstance(attribute, Numeric):
        return {None: float(column.mean())}
    codes = column.indices.to_numpy() if isinstance(column, pa.DictionaryArray) else column
    counts = np.bincount(codes, minlength=len(attribute.values))
    return dict(zip(attribute.values, (counts / len(column)).tolist(), strict=True))


def phone(fleet: Fleet, number: int) -> dict[str, Any]:
    """Return what one phone knows about itself.

    >>> sorted(phone(simulate_fleet(3, seed=7), 0))[:2]
    ['app use', 'battery use']
    """
    values = {name: column[number] for name, column in fleet.items()}
    return {
        name: value.as_py() if isinstance(value, pa.Scalar) else value.item()
        for name, value in values.items()
    }


def phones_between(fleet: Fleet, first: int, last: int) -> Fleet:
    """Return the part of the fleet from phone `first` up to, but without, phone `last`."""
    return {name: column[first:last] for name, column in fleet.items()}
