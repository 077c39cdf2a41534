"""Buffers, and how the work is shared out: what one collection leaves for the next."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

import harmony as hm
from harmony.bulk import buffers, collect
from harmony.bulk.buffers import Buffers
from harmony.bulk.collect import Randomizer
from harmony.bulk.threads import share_out

pytestmark = pytest.mark.usefixtures("either_backend")


@pytest.fixture(autouse=True)
def no_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Buffers, "_free", [])


def two_booleans() -> hm.Survey:
    return hm.Survey("phones", [hm.Boolean("wifi"), hm.Boolean("nfc")], epsilon=1.0)


def test_buffers_are_lent_again_after_they_were_wiped() -> None:
    with Buffers.borrow() as first:
        first.array("keystream", 100, np.uint64)[:] = 7
    with Buffers.borrow() as again, Buffers.borrow() as other:
        assert again is first
        assert other is not first
        assert not again.array("keystream", 100, np.uint64).any()


def test_buffers_are_wiped_when_the_work_fails_and_dropped_when_they_are_large() -> None:
    survey, table = two_booleans(), {"wifi": np.arange(500) % 2, "nfc": np.arange(500) % 3}
    with pytest.raises(hm.DataError, match="nfc: row 2"):
        survey.collect(table, threads=1)
    failed = Buffers._free.pop()
    assert len(failed.array("keystream", 500, np.uint8))
    assert not any(array.any() for array in failed._arrays.values())
    with Buffers.borrow() as large:
        large.array("keystream", buffers.MOST_KEPT + 1, np.uint8)
    assert not Buffers._free


def test_a_collection_leaves_no_random_words_behind() -> None:
    survey, table = two_booleans(), {"wifi": np.arange(500) % 2, "nfc": np.arange(500) % 2}
    survey.collect(table, threads=1)
    (kept,) = Buffers._free
    assert not any(array.any() for array in kept._arrays.values())
    first = survey.collect(table, seed=3, threads=1)
    assert survey.collect(table, seed=3, threads=1) == first


def test_every_worker_gets_equally_many_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collect, "CHUNK", 100)
    survey = two_booleans()
    for rows, workers, number in ((1, 1, 1), (450, 1, 5), (450, 2, 6), (100, 2, 2), (601, 3, 9)):
        devices = Randomizer(survey, {"wifi": np.zeros(rows, int), "nfc": np.zeros(rows, int)})
        chunks = list(devices.chunks(workers=workers))
        sizes = [stop - start for start, stop in chunks]
        assert (len(chunks), sum(sizes)) == (number, rows)
        assert max(sizes) - min(sizes) < number
        assert [start for start, _ in chunks[1:]] == [stop for _, stop in chunks[:-1]]


def test_the_caller_works_too() -> None:
    def who(items: Iterator[int]) -> tuple[int, list[int]]:
        return threading.get_ident(), list(items)

    for workers in (1, 3):
        found = share_out(iter(range(50)), workers, who)
        assert found[0][0] == threading.get_ident()
        assert sorted(item for _, items in found for item in items) == list(range(50))
