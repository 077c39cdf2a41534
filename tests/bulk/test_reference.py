"""The reference and the kernels give the same integers, whatever they are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import harmony as hm
from harmony.attributes import Attribute, Signed
from harmony.bulk import collect, reference
from harmony.bulk.backend import Backend, load, using
from harmony.bulk.coins import Coins
from harmony.bulk.collect import Randomizer
from harmony.bulk.fields import SPARE, WORDS, Coin
from harmony.questions import Question, parts_of
from harmony_device.protocol import MAX_VALUES

MANY = settings(max_examples=1000)
SEEDS = st.integers(0, 2**32)
SIZES = st.one_of(st.integers(1, 5), st.sampled_from([15, 16, 17, 63, 64, 65, 300, 2049, 4097]))
WORD = np.uint64(2**64 - 1)
INTEGERS = {
    kind: (int(np.iinfo(kind).min), int(np.iinfo(kind).max))
    for kind in ("i1", "i2", "i4", "i8", ">i4", "u1", "u2", "u4", "u8")
}
"""The types that codes come in, and what each holds."""


def mixed() -> list[Attribute]:
    return [
        hm.Numeric("level", -3, 7),
        hm.Numeric("ratio", -1e-3, 1e-3, missing=7e-4),
        hm.Numeric("age", 0, 100, bins=[0, 18, 40, 65, 100], missing=40),
        hm.Categorical("theme", ["light", "dark", "auto"], missing="auto"),
        hm.Categorical("os", [f"v{place}" for place in range(300)]),
        hm.Boolean("wifi"),
        hm.Integer("sims", -2, 13),
        hm.Categorical("sparse", [3, 70, 1000, 5], unlisted=70),
        hm.Categorical("far", [0, 1 << 40, -(1 << 40)]),
        Signed("sign", [f"v{place}" for place in range(11)]),
    ]


def unsigned() -> list[Attribute]:
    return [one for one in mixed() if not isinstance(one, Signed)]


def paired() -> list[Question]:
    """Pairs of every kind of part, of columns that others read as well, and a distribution."""
    theme, far = hm.Categorical("theme", ["light", "dark", "auto"]), mixed()[8]
    return [
        *mixed()[:8],
        hm.Crosstab("theme", "wifi"),
        hm.Crosstab("os", "sims"),
        hm.Crosstab("level", "sparse"),
        hm.Crosstab("ratio", "age"),
        hm.Crosstab("age", hm.Numeric("degree", 0, 100, bins=7), name="two bins"),
        hm.Crosstab(theme, far, name="others"),
        hm.Distribution("share", 0, 100, reads="degree"),
        hm.Distribution("years", 0, 100, step=4, missing=40, reads="age"),
    ]


def binned() -> list[Attribute]:
    """Bins where a first guess at a number's place is right, far off, or cannot be made."""
    close = [1.0, *np.nextafter(1.0, [2.0, 1e9]), 1.5, np.nextafter(2.0, 0.0), 2.0]
    return [
        hm.Numeric("even", -7, 13, bins=257),
        hm.Numeric("tenths", 0, 1, bins=[tenth / 10 for tenth in range(11)]),
        hm.Numeric("octaves", 0, 1e9, bins=[0, *np.geomspace(1e-3, 1e9, 41)]),
        hm.Numeric("close", 1, 2, bins=sorted(set(close))),
        hm.Numeric("huge", -8e307, 8e307, bins=[-8e307, -1.0, -5e-324, 0, 5e-324, 1e300, 8e307]),
        hm.Numeric("tiny", 0, 1e-320, bins=[0, 5e-324, 1e-321, 5e-321, 1e-320]),
    ]


SURVEYS: dict[str, Callable[[], hm.Survey]] = {
    "one answer": lambda: hm.Survey("s", mixed(), epsilon=1.0),
    "one answer, hardly private": lambda: hm.Survey("s", mixed(), epsilon=8.0, answers=1),
    "some answers": lambda: hm.Survey("s", mixed(), epsilon=4.0, answers=3),
    "all answers": lambda: hm.Survey("s", mixed(), epsilon=8.0, answers=10),
    "the paper's": lambda: hm.Survey("s", unsigned(), epsilon=1.0, mechanism="harmony"),
    "sixteen tiers": lambda: hm.Survey(
        "s", unsigned(), tiers=[0.25 * (1 + i) for i in range(16)], mechanism="harmony"
    ),
    "tiers, some answers": lambda: hm.Survey("s", mixed(), tiers=[1.0, 2.0, 4.0], answers=2),
    "one attribute": lambda: hm.Survey("s", [hm.Numeric("level", 0, 1)], epsilon=1.0),
    "large weights": lambda: hm.Survey(
        "s", [hm.Integer(f"a{i}", 0, 2, weight=1 << 16) for i in range(5)], epsilon=1.0
    ),
    "many attributes": lambda: hm.Survey(
        "s", [hm.Integer(f"a{i}", 0, 5) for i in range(150)], epsilon=2.0, answers=2
    ),
    "bins": lambda: hm.Survey("s", binned(), epsilon=8.0),
    "pairs": lambda: hm.Survey("s", paired(), epsilon=1.0),
    "pairs, some answers": lambda: hm.Survey("s", paired(), tiers=[1.0, 6.0], answers=4),
    "many pairs": lambda: hm.Survey(
        "s", [hm.Crosstab(hm.Integer("zip", 0, 999), hm.Numeric("x", 0, 1, bins=900))], epsilon=2.0
    ),
    "many values": lambda: hm.Survey("s", [hm.Integer("zip", 0, 99_999)], epsilon=2.0),
    "most values": lambda: hm.Survey("s", [hm.Integer("zip", 0, MAX_VALUES - 1)], epsilon=1.0),
}
"""Dense and circulant tables, coded by table and by digits, of all kinds of attributes."""


@cache
def survey_of(name: str) -> hm.Survey:
    return SURVEYS[name]()


def numbers(attribute: hm.Numeric, size: int, rng: np.random.Generator, bad: bool) -> Any:
    """Numbers in the range, at its edges and those of the grid, and beyond, of any type."""
    low, high = attribute.low, attribute.high
    points = np.concatenate([np.linspace(low, high, rng.choice([2, 3, 17, 33])), attribute.edges])
    edges = np.concatenate([points, np.nextafter(points, -np.inf), np.nextafter(points, np.inf)])
    pool = [edges, rng.uniform(low, high, 20), [0.0, -0.0]]
    if rng.random() < 0.5:
        pool.append([low - 1, high + 1, -1e300, 1e300])
    if bad:
        pool.append([np.nan, np.inf, -np.inf])
    values = rng.choice(np.concatenate(pool), size)
    kind = rng.choice(["<f8", "<f4", "<f2", ">f8", "i1", "i2", "i4", "i8", "u1", "u2", "u8"])
    if np.dtype(kind).kind == "f":
        if attribute.missing is not None and rng.random() < 0.7:
            values[rng.random(size) < 0.3] = np.nan
        most = float(np.finfo(kind).max)
        values = (values if bad else np.clip(values, -most, most)).astype(np.float64)
        with np.errstate(over="ignore"):
            values = values.astype(kind)
    else:
        about = np.iinfo(kind)
        known = np.nan_to_num(np.clip(values, max(about.min, -1e15), min(about.max, 1e15)))
        values = known.astype(kind)
    return in_some_form(values, rng)


def codes(attribute: hm.Categorical, size: int, rng: np.random.Generator, bad: bool) -> Any:
    """The attribute's values as text, dictionaries, booleans or integers of any type."""
    if isinstance(attribute, Signed):
        levels = np.arange(len(attribute.values))
        pool = [levels, levels + attribute.size, [attribute.size - 1] if bad else []]
        kind = rng.choice(["i1", "i2", "i4", "i8", "u1", "u4", "u8"])
        return in_some_form(rng.choice(np.concatenate(pool), size).astype(kind), rng)
    picked = rng.integers(0, len(attribute.values), size)
    picked[rng.random(size) < 0.2] = rng.choice([0, len(attribute.values) - 1])
    values = np.array(attribute.values)[picked]
    if values.dtype.kind == "U":
        text = [*values[1:].tolist(), "unheard of"] if bad else values.tolist()
        if attribute.missing is not None and rng.random() < 0.7:
            text = [None if rng.random() < 0.3 else one for one in text]
        column = pa.array(text, pa.string())
        return column if rng.random() < 0.5 else column.dictionary_encode()
    if values.dtype == bool:
        return in_some_form(values, rng)
    if bad:
        values[-1] = rng.choice([max(attribute.values) + 1, min(attribute.values) - 1, 1 << 60])
    least, most = int(values.min()), int(values.max())
    kinds = [kind for kind, (low, high) in INTEGERS.items() if low <= least and most <= high]
    return in_some_form(values.astype(rng.choice(kinds)), rng)


def in_some_form(values: np.ndarray, rng: np.random.Generator) -> Any:
    """End to end, with gaps, not aligned, or in Arrow."""
    form = rng.integers(5)
    if form == 1:
        return np.repeat(values, 3)[::3]
    if form == 2:
        raw = np.frombuffer(b"x" + values.tobytes(), np.uint8)[1:]
        return raw.view(values.dtype)
    if form == 3 and values.dtype.isnative and values.dtype != np.float16:
        return pa.chunked_array([values[:1], values[1:]])
    return values


def people(survey: hm.Survey, size: int, rng: np.random.Generator, bad: bool) -> dict[str, Any]:
    read = {part.source: part for one in survey.attributes for part in parts_of(one)}
    wrong = list(read)[rng.integers(len(read))] if bad else None
    return {
        name: (numbers if isinstance(one, hm.Numeric) else codes)(one, size, rng, bad=name == wrong)
        for name, one in read.items()
    }


def random_words(survey: hm.Survey, size: int, rng: np.random.Generator) -> np.ndarray:
    """Words of which many fall right beside an edge of a table's running counts."""
    tier = survey.mechanisms[rng.integers(len(survey.tiers))]
    counts = np.atleast_2d(np.array(tier[rng.integers(len(tier))].table.counts, np.uint64))
    running = np.cumsum(counts[rng.integers(len(counts))])[:-1] << SPARE
    edges = np.concatenate([running, running - np.uint64(1), [np.uint64(0), WORD]])
    words = rng.integers(0, 2**64, (size, 2), dtype=np.uint64)
    chosen = rng.random((size, 2)) < 0.5
    words[chosen] = rng.choice(edges.astype(np.uint64), int(chosen.sum()))
    return words


@contextmanager
def given_words(words: np.ndarray) -> Iterator[None]:
    with mock.patch.object(collect, "keystream", lambda key, first, count, buffers: words[:count]):
        yield


def outcome(devices: Randomizer, backend: Backend) -> dict[str, np.ndarray] | str:
    """What a backend makes of a chunk: every array on the way, or what it refuses and why."""
    cells = devices.coins.lanes()
    try:
        with using(backend):
            chunk = devices.chunk(0, devices.devices, None, cells)
            assigned = devices.coins.assign(chunk.ids, chunk.tiers)
    except hm.DataError as refusal:
        return str(refusal)
    return {
        "groups": assigned.group,
        "rows": assigned.row,
        "starts": chunk.order.starts,
        "order": chunk.order.answers,
        "ordered symbols": chunk.ordered,
        "symbols": chunk.symbols,
        "clipped": chunk.clipped,
        "counts": cells.lanes.sum(axis=0),
    }


def differing(found: dict[str, np.ndarray] | str, other: dict[str, np.ndarray] | str) -> list[str]:
    """Name the arrays that are not the same, or say what only one has refused, or otherwise."""
    if isinstance(found, str) or isinstance(other, str):
        return [] if found == other else [f"{found} / {other}"]
    return [
        name
        for name, array in found.items()
        if array.dtype != other[name].dtype or not np.array_equal(array, other[name])
    ]


@pytest.mark.parametrize("name", [name for name in SURVEYS if name != "most values"])
@settings(MANY, max_examples=200)
@given(
    size=SIZES,
    seed=SEEDS,
    first=st.sampled_from([0, 1, 2**32, 2**62 - 1]),
    bad=st.booleans(),
    as_devices=st.booleans(),
)
def test_every_step_of_a_chunk_is_the_same(
    name: str, size: int, seed: int, first: int, bad: bool, as_devices: bool
) -> None:
    survey, rng = survey_of(name), np.random.default_rng(seed)
    table = people(survey, size, rng, bad)
    tiers = rng.integers(0, len(survey.tiers), size)
    round_ = hm.Round("1", rng.bytes(16))
    words = random_words(survey, size * survey.answers, rng)
    devices = Randomizer(
        survey, table, round=round_, tiers=tiers, first=first, as_devices=as_devices
    )
    with given_words(words):
        found = outcome(devices, reference)
        assert differing(found, outcome(devices, load())) == []
        assert not (as_devices and isinstance(found, str))


@MANY
@given(size=st.integers(0, 2500), seed=SEEDS)
def test_coins_of_any_kind_are_the_same(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    d, tiers = int(rng.integers(1, 40)), int(rng.integers(1, 17))
    answers = 1 if rng.random() < 0.5 else int(rng.integers(1, d + 1))
    weights = rng.integers(1, rng.choice([2, 10, 1 << 16]), d)
    named = np.repeat(np.arange(d), weights if answers == 1 and rng.random() < 0.5 else 0)
    coin = Coin(
        answers,
        seed=rng.integers(0, 2**64, 2, dtype=np.uint64),
        attribute_by_draw=named.astype(np.uint16),
        weights=weights,
        rows=rng.integers(1, rng.choice([2, 1 << 20]), (tiers, d)),
    )
    ids = rng.integers(0, 2**64, (2, size), dtype=np.uint64)
    tier = rng.integers(0, tiers, size).astype(np.uint8) if tiers > 1 else np.empty(0, np.uint8)
    words = rng.integers(0, 2**64, 2 * size * answers, dtype=np.uint64)

    def ask(backend: Backend) -> list[list[int]]:
        group, row = np.empty((2, size * answers), np.uint32)
        backend.assign(ids, coin, tier, group, row)
        starts = np.empty(tiers * d + 1, np.uint64)
        order = np.empty(WORDS * size * answers, np.uint64)
        backend.arrange(group, row, words, starts, order)
        return [array.tolist() for array in (group, row, starts, order)]

    assert ask(reference) == ask(load())


@MANY
@given(size=st.integers(0, 3000), seed=SEEDS)
def test_cells_and_shares_are_the_same(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    widths = rng.integers(1, rng.choice([3, 1 << 16]), int(rng.integers(1, 300)))
    starts = rng.integers(0, 2**40, len(widths))
    group = rng.integers(0, len(widths), size).astype(np.uint32)
    row = rng.integers(0, rng.choice([1, 2**31]), size).astype(np.uint32)
    symbols = rng.integers(0, 1 << 16, size).astype(np.uint16)
    symbols[rng.random(size) < 0.5] //= 1 << 12
    marks = rng.integers(0, 2**64, size, dtype=np.uint64)
    passes = int(rng.integers(1, 9))
    number, shares = int(rng.integers(passes)), int(rng.choice([1, 7, 64]))

    def count(backend: Backend) -> list[list[int]]:
        cells, sizes = np.empty(size, np.int64), np.empty(shares + 1, np.int64)
        backend.locate(group, row, symbols, starts, widths, cells)
        ordered = np.empty(size, np.uint64)
        backend.spread(marks, number, passes, sizes, ordered)
        return [cells.tolist(), sizes.tolist(), ordered[: sizes[-1]].tolist()]

    assert count(reference) == count(load())


@pytest.mark.parametrize("name", SURVEYS)
def test_tallies_reports_and_their_counts_are_the_same(name: str) -> None:
    """In chunks, on two threads, through the whole of `collect`, `randomize` and `tally`."""
    survey, rng = survey_of(name), np.random.default_rng(1)
    with mock.patch.object(collect, "CHUNK", 1000):
        for size in (1, 999, 1001, 4003):
            table = people(survey, size, rng, bad=False)
            tiers = rng.integers(0, len(survey.tiers), size)
            found = []
            for backend in (reference, load()):
                with using(backend), pytest.MonkeyPatch.context() as patch:
                    patch.setattr("warnings.warn", lambda *said, **how: None)
                    reports = survey.randomize(table, seed=size, tiers=tiers)
                    tally = survey.collect(table, seed=size, tiers=tiers, threads=2)
                    assert survey.tally(reports) == tally
                found.append((reports, tally))
            assert found[0][0].equals(found[1][0])
            assert found[0][1] == found[1][1]


def test_ids_of_devices_that_reported_are_counted_the_same() -> None:
    survey, rng = survey_of("sixteen tiers"), np.random.default_rng(2)
    ids = rng.integers(0, 2**64, (2, 5001), dtype=np.uint64)
    tiers = rng.integers(0, 16, 5001).astype(np.uint8)
    symbols = rng.integers(0, 40, 5001).astype(np.uint16)
    found = []
    for backend in (reference, load()):
        with using(backend):
            found.append(Coins(survey, hm.Round("1", bytes(16))).locate(ids, tiers, symbols))
    assert (found[0] < 0).any()
    assert np.array_equal(*found)
