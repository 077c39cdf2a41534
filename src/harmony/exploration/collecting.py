"""Exploring offline: the rows of a table stand for devices, and answer step after step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..bulk.columns import SpelledTexts, TableLike
from ..bulk.read_table import pick_column
from ..bulk.sources import source_of
from ..bulk.spelling import spell
from ..errors import DataError
from ..progress import progress_bar
from ..rounds import Round
from ..rounds import derive as derive_bytes
from ..tally import Tally
from ..text import Text
from .definition import MISTAKES, WANTED, Exploration
from .explorer import Explorer
from .findings import Findings
from .never_shown import COMMON_PATTERNS
from .step import Step


def read_texts(
    table: TableLike,
    exploration: Exploration,
    seed: int | None = None,
    as_devices: bool = False,
) -> SpelledTexts:
    """Return the texts of a table's devices as codes, in no order: steps take them in turn."""
    text = exploration.text
    asked = text.places([""], 1, [])
    column = pick_column(table, text.name)
    if not len(column):
        raise DataError("the table has no rows; one row is one device")
    source = source_of(column, asked, as_devices)
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


def explore(
    table: TableLike,
    text: Text | str,
    epsilon: float,
    *,
    name: str = "exploration",
    wanted: int = WANTED,
    mistakes: float = MISTAKES,
    never: Sequence[str] = COMMON_PATTERNS,
    seed: int | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> Findings:
    """Find the common texts in a column of a table, each row a device that answers once.

    `never` are the patterns of strings that are never shown: see `harmony.Exploration`.

    >>> import harmony as hm
    >>> words = ["yes", "no", "perhaps"] * 20_000
    >>> [one.text for one in hm.explore({"said": words}, "said", epsilon=4.0, seed=3)]
    ['no', 'yes', 'perhaps']
    """
    asked = Text(text) if isinstance(text, str) else text
    exploration = Exploration(name, asked, epsilon, 1, wanted, mistakes, never)
    texts = read_texts(table, exploration, seed)
    exploration = replace(exploration, devices=len(texts))
    findings = run(exploration, texts, seed, threads, progress).findings
    assert findings is not None
    return findings
