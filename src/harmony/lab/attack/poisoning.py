"""Poisoning: how far dishonest devices move an estimate, with and without assigned coins.

A dishonest device sends whatever symbol raises its target most.  If the public coin assigns the
attribute, only one in d of them can speak about the target at all, and the estimate moves by the
share of dishonest devices times the reach of a report.  If a device may choose its attribute, all
of them speak about the target, which moves it about d times as far.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ...arrays import Counts
from ...attributes import Attribute, Numeric
from ...errors import HarmonyError
from ...mechanisms import Grid, Linear, Mechanism
from ...rounds import Round
from ...survey import Survey


@dataclass(frozen=True)
class Poisoning:
    """The measured shift of an estimate, in [-1, 1] for a mean, as a frequency otherwise.

    `bias` divides by the answers counted, as the product does; `paper_bias` by the n/d answers
    expected, as the paper's estimator does.
    """

    attribute: str
    dishonest: float
    assigned: bool
    devices: int
    runs: int
    bias: float
    stderr: float
    paper_bias: float

    @property
    def per_percent(self) -> float:
        """The shift for each percent of dishonest devices."""
        return self.bias / (100 * self.dishonest)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"per_percent": self.per_percent}


def measure_poisoning(
    attributes: list[Attribute] | None = None,
    *,
    epsilon: float = 1.0,
    target: str | None = None,
    dishonest: float = 0.01,
    assigned: bool = True,
    devices: int = 100_000,
    runs: int = 10,
    mechanism: str = "harmony",
    seed: int = 2016,
) -> Poisoning:
    """Measure the bias that `dishonest` of the devices cause on `target` (its first value).

    The honest devices hold zero (or the first value that is not the target), and report through
    the product's own bulk path; by default there are 16 numeric attributes.

    >>> worse = measure_poisoning(assigned=False, devices=20_000, runs=2)
    >>> better = measure_poisoning(assigned=True, devices=20_000, runs=2)
    >>> worse.bias > 4 * better.bias
    True
    """
    if not 0 < dishonest < 1:
        raise HarmonyError("'dishonest' must lie between 0 and 1")
    if attributes is None:
        attributes = [Numeric(f"number {place}", -1, 1) for place in range(16)]
    survey = Survey("poisoned", attributes, epsilon, mechanism=mechanism, answers=1)
    place = 0 if target is None else survey.index(target)
    built = survey.mechanisms[0][place]
    liars = round(devices * dishonest)
    expected = devices / len(attributes)
    biases, paper_biases = [], []
    for run in range(runs):
        rng_seed = seed * 1_000_003 + run
        honest = _cells(survey, place, devices - liars, rng_seed, 0)
        lies = _cells(survey, place, liars, rng_seed, devices - liars)
        loud = _loudest(built, lies if assigned else _all_on_first_row(lies, liars))
        together = honest + loud
        estimate = float(built.moments(together).estimates[0])
        biases.append(estimate)  # the truth is zero: nobody honest holds the target
        paper_biases.append(estimate * int(together.sum()) / expected)
    return Poisoning(
        survey.attributes[place].name, dishonest, assigned, devices, runs,
        float(np.mean(biases)), float(np.std(biases, ddof=1) / np.sqrt(runs)),
        float(np.mean(paper_biases)),
    )  # fmt: skip


def _cells(survey: Survey, place: int, devices: int, seed: int, first: int) -> Counts:
    """Collect from honest devices, through the real coins, and return the target's cells."""
    column = {
        attribute.name: np.zeros(devices)
        if isinstance(attribute, Numeric)
        else [attribute.values[1]] * devices
        for attribute in survey.attributes
    }
    tally = survey.collect(column, seed, round=Round.simulated(seed), first=first)
    return tally.cells[0][place]


def _all_on_first_row(cells: Counts, liars: int) -> Counts:
    """Let every liar choose the target attribute, and its first row."""
    chosen = np.zeros_like(cells)
    chosen[0, 0] = liars
    return chosen


def _loudest(mechanism: Mechanism, cells: Counts) -> Counts:
    """Move every report of a row to the symbol that raises the target most."""
    loud = np.zeros_like(cells)
    for row, count in enumerate(cells.sum(axis=1)):
        if isinstance(mechanism, Grid):
            symbol = int(np.argmax(mechanism.values))
        elif isinstance(mechanism, Linear):
            symbol = int(np.argmax(mechanism.support[mechanism.code.index(0, row)]))
        else:
            symbol = mechanism.code.index(0, row)
        loud[row, symbol] = count
    return loud
