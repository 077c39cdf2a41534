"""Exploring offline: the rows of a table stand for devices, and answer step after step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..bulk.columns import SpelledTexts, TableLike
from ..bulk.read_table import pick_column
from ..bulk.sources import source_of
from ..bulk.spelling import spell
from ..progress import progress_bar
from ..rounds import Round
from ..rounds import derive as derive_bytes
from ..tally import Tally
from .explorer import Explorer
from .exploration import Exploration
from .findings import Findings
from .step import Step


def read_texts(
    table: TableLike | Iterable[Any],
    exploration: Exploration,
    seed: int | None = None,
    as_devices: bool = False,
) -> SpelledTexts:
    """Return the texts of a table's devices as codes, in no order: steps take them in turn."""
    text = exploration.text
    asked = text.places([""], 1, [])
    source = source_of(pick_column(table, text.name), asked, as_devices)
    spelled = spell(source, text, as_devices)
    return spelled[np.random.default_rng(seed).permutation(len(spelled))]


def collect_step(
    step: Step,
    texts: SpelledTexts,
    start: int,
    stop: int,
    seed: int | None = None,
    threads: int | None = None,
) -> Tally:
    """Let devices `start` to `stop` answer a step, and count their reports."""
    label = f"step-{step.number}"
    round = Round.open(label) if seed is None else Round(label, derive_bytes(seed, label)[:16])
    if start >= stop:
        return Tally.empty(step.survey, round)
    return step.survey.collect(
        {step.exploration.text.name: texts[start:stop]}, seed, round=round, first=start,
        progress=False, threads=threads,
    )  # fmt: skip


def run(
    exploration: Exploration,
    texts: SpelledTexts,
    seed: int | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> Explorer:
    """Run a whole exploration on devices whose texts were read."""
    explorer, first = Explorer(exploration), 0
    with progress_bar("exploring", len(texts), progress) as advance:
        while (step := explorer.step) is not None:
            stop = min(first + step.devices, len(texts))
            explorer.learn(collect_step(step, texts, first, stop, seed, threads))
            advance(stop - first)
            first = stop
    return explorer


def explore(exploration: Exploration, table: TableLike, seed: int | None = None) -> Findings:
    """Find the common texts of a table's devices, each randomised first."""
    findings = run(exploration, read_texts(table, exploration, seed), seed).findings
    assert findings is not None
    return findings
