"""Derived attributes in bulk: what many devices would compute from their records and a step.

    {"is": "label"}                                    the label, in [-1, 1]
    {"is": "feature", "feature": f}                    the feature itself
    {"is": "gradient", "feature": f, "of": a, "clip": A, "middle": m, "reach": r}
                                                       clip(a / A) times the feature; times
                                                       clip((x - m) / r) if that is a number x
    {"is": "product", "of": [a, ...], "clip": [A, ...]}  clip(a / A) * ... over one or more terms
    {"is": "curve", "edges": [...]}                    2 * (number of edges <= score) + (label > 0)
    {"is": "surplus", "edges": [...]}                  the number of edges <= score, label's sign

where a term is the `label`, `score` (the model's), `residual` (label - score), `relative` (residual
/ (1 + |score|)) or `direction` (the score of the step's direction, or of the model where it has
none), and clip is to [-1, 1].  A gradient over a categorical feature is a level with a sign (see
`harmony.attributes.Signed`): +1 with probability (1 + t) / 2, where t = clip(a / A); a surplus is
a bin with the label's.

A missing number is 0, and what is missing adds nothing to a score.  Whatever else cannot be
computed, because a level or the label is missing, is left without an answer (NaN, -1 or null),
which is drawn when the step's survey is answered.  So nobody learns who lacks what.

`harmony_device.derive` is the same for one device.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from harmony_device.derive import HUGE, TWO_53

from ..arrays import Floats
from ..attributes import Attribute
from ..bulk.collect import keystream
from ..bulk.threads import cores
from ..rounds import Round
from ..rounds import derive as derive_bytes
from ..tally import Tally
from .records import Records
from .step import Derivation, Step

CHUNK = 1 << 17


class _Terms:
    """The numbers that derivations are made of, computed when first asked for."""

    def __init__(self, step: Step, records: Records, start: int, stop: int) -> None:
        self.step, self.records, self.start, self.stop = step, records, start, stop
        self._known: dict[str, Floats] = {}

    def __getitem__(self, name: str) -> Floats:
        if name not in self._known:
            self._known[name] = self._compute(name)
        return self._known[name]

    def _compute(self, name: str) -> Floats:
        rows = self.start, self.stop
        if name == "label":
            return self.records.labels(*rows, self.step.label)
        if name == "score":
            return self.step.model.of(self.records, *rows)
        if name == "residual":
            return self["label"] - self["score"]
        if name == "relative":
            most: Floats = 1 + np.minimum(np.abs(self["score"]), HUGE)
            return self["residual"] / most
        assert name == "direction"
        direction = self.step.direction
        return self["score"] if direction is None else direction.of(self.records, *rows)


def derive_columns(
    step: Step, records: Records, start: int, stop: int, draws: Floats
) -> dict[str, Any]:
    """Return the columns of the step's survey for rows `start` to `stop`.

    `draws` holds a random number in [0, 1) for each row, to round with.  The columns are to be
    answered `as_devices` do.
    """
    terms = _Terms(step, records, start, stop)
    places = {feature.name: place for place, feature in enumerate(step.model.features)}
    columns: dict[str, Any] = {}
    signs: dict[tuple[str, float], tuple[Floats, Signs]] = {}
    for question in step.questions:
        derivation = question.derive
        if derivation["is"] == "label":
            columns[question.name] = terms["label"]
        elif derivation["is"] == "product":
            columns[question.name] = _product(terms, derivation)
        elif derivation["is"] == "curve":
            columns[question.name] = _values(_curve(terms, derivation), question.attribute)
        elif derivation["is"] == "surplus":
            columns[question.name] = _surplus(terms, derivation)
        elif derivation["is"] == "feature":
            columns[question.name] = _feature(
                terms, places[derivation["feature"]], question.attribute
            )
        else:
            assert derivation["is"] == "gradient"
            residual = derivation["of"], derivation["clip"]
            if residual not in signs:
                t = np.clip(terms[derivation["of"]] / derivation["clip"], -1, 1)
                signs[residual] = t, Signs(2 * draws >= 1 + t, np.isnan(t))
            t, sign = signs[residual]
            place = places[derivation["feature"]]
            if step.model.features[place].values:
                columns[question.name] = _signed_levels(terms, place, sign)
            else:
                columns[question.name] = t * _scaled_numbers(terms, place, derivation)
    return columns


class Signs(NamedTuple):
    """The signs that rows round a number to, and which rows have no number."""

    negative: NDArray[np.bool_]
    missing: NDArray[np.bool_]


def _product(terms: _Terms, derivation: Derivation) -> Floats:
    pairs = zip(derivation["of"], derivation["clip"], strict=True)
    factors = [np.clip(terms[name] / clip, -1, 1) for name, clip in pairs]
    return np.asarray(np.prod(factors, axis=0))


def _curve(terms: _Terms, derivation: Derivation) -> NDArray[np.int64]:
    return _labelled(terms, 2 * _bins(terms, derivation) + (terms["label"] > 0))


def _surplus(terms: _Terms, derivation: Derivation) -> NDArray[np.int64]:
    size = 1 << len(derivation["edges"]).bit_length()
    return _labelled(terms, _bins(terms, derivation) + size * (terms["label"] <= 0))


def _bins(terms: _Terms, derivation: Derivation) -> NDArray[np.int64]:
    return np.searchsorted(np.array(derivation["edges"]), terms["score"], side="right")


def _labelled(terms: _Terms, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of rows that have a label, and -1 for others."""
    return np.where(np.isnan(terms["label"]), -1, places)


def _feature(terms: _Terms, place: int, asked: Attribute) -> Any:
    feature = terms.step.model.features[place]
    if not feature.values:
        scaled = terms.records.numbers(place, terms.start, terms.stop, feature)
        low, high = feature.low, feature.high  # type: ignore[union-attr]  # no values: numeric
        return np.clip(low + (scaled + 1) / 2 * (high - low), low, high)
    return _values(terms.records.levels(place, terms.start, terms.stop), asked)


def _values(places: NDArray[Any], asked: Attribute) -> pa.DictionaryArray:
    """Return the values at these places of an attribute, null where there is none."""
    missing = places < 0
    indices = pa.array(places, mask=missing if missing.any() else None)
    return pa.DictionaryArray.from_arrays(indices, pa.array(list(asked.values)))


def _scaled_numbers(terms: _Terms, place: int, derivation: Derivation) -> Floats:
    feature = terms.step.model.features[place]
    numbers = terms.records.numbers(place, terms.start, terms.stop, feature)
    scaled: Floats = np.clip((numbers - derivation["middle"]) / derivation["reach"], -1, 1)
    return scaled


def _signed_levels(terms: _Terms, place: int, sign: Signs) -> NDArray[Any]:
    feature = terms.step.model.features[place]
    size = 1 << (len(feature.values) - 1).bit_length()
    levels = terms.records.levels(place, terms.start, terms.stop)
    missing = (levels < 0) | sign.missing
    dtype = np.int16 if size < 1 << 14 else np.int32
    signed = np.asarray(levels + sign.negative * dtype(size), dtype)
    signed[missing] = -1
    return signed


def collect_step(
    step: Step,
    records: Records,
    start: int,
    stop: int,
    seed: int | None = None,
    threads: int | None = None,
) -> Tally:
    """Let rows `start` to `stop` answer a step, and count their reports.

    The result for a seed does not depend on the number of threads.
    """
    label = f"step-{step.number}"
    if seed is None:
        round, key = Round.open(label), os.urandom(32)
    else:
        round = Round(label, derive_bytes(seed, label)[:16])
        key = derive_bytes(seed, f"rounding in {label}")

    def collect(first: int) -> Tally:
        last = min(first + CHUNK, stop)
        words = keystream(key, first, last - first)[:, 0]
        columns = derive_columns(step, records, first, last, (words >> np.uint64(11)) / TWO_53)
        return step.survey.collect(
            columns, seed, round=round, first=first, as_devices=True, progress=False, threads=1
        )

    chunks = range(start, stop, CHUNK)
    if not chunks:
        return Tally.empty(step.survey, round)
    step.survey.fingerprint  # noqa: B018  computed once, before threads ask for it
    with ThreadPoolExecutor(threads or min(cores(), len(chunks))) as pool:
        tally: Tally = sum(pool.map(collect, chunks))  # type: ignore[assignment]  # tallies add
    return tally
