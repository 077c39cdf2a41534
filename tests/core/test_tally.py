"""Tallies: exact, mergeable, saved whole, never mixed up."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import harmony as hm

SURVEY = hm.Survey("phones", [hm.Numeric("battery", 0, 100), hm.Integer("k", 0, 99)], 1.0)
ROUND = hm.Round("2026-W46", bytes(range(16)))


def some(seed: int, count: int = 500) -> hm.Tally:
    rng = np.random.default_rng(seed)
    table = {"battery": rng.uniform(0, 100, count), "k": rng.integers(0, 100, count)}
    return SURVEY.collect(table, seed=seed, round=ROUND, first=seed * count)


def test_tallies_add_like_their_counts() -> None:
    one, two, three = some(1), some(2), some(3)
    total = one + two + three
    assert total.reports == 1500
    assert np.array_equal(total.counts, one.counts + two.counts + three.counts)
    assert (one + two) + three == one + (two + three) == sum([three, one, two])
    assert one + hm.Tally.empty(SURVEY, ROUND) == one


def test_tallies_of_other_surveys_or_rounds_do_not_add() -> None:
    other = hm.Survey("phones", SURVEY.attributes, 2.0)
    with pytest.raises(hm.TallyError, match="different surveys"):
        some(1) + hm.Tally.empty(other, ROUND)
    with pytest.raises(hm.TallyError, match="different rounds"):
        some(1) + hm.Tally.empty(SURVEY, hm.Round("2026-W47", ROUND.seed))
    with pytest.raises(hm.TallyError, match="give each the same round"):
        some(1) + hm.Tally.empty(SURVEY, hm.Round(ROUND.label, bytes(16)))
    with pytest.raises(TypeError):
        some(1) + 1  # type: ignore[operator]


def test_no_report_is_added_twice(tmp_path: Path) -> None:
    """Neither a tally with itself, nor with a sum or a file that has it in it."""
    one, two = some(1), some(2)
    one.save(tmp_path / "one.tally")
    for other in (one, one + two, two + one, hm.Tally.load(tmp_path / "one.tally")):
        with pytest.raises(hm.TallyError, match="reports in common"):
            one + other
    with pytest.raises(hm.TallyError, match="reports in common"):
        sum([one, two, one])
    empty = hm.Tally.empty(SURVEY, ROUND)
    assert empty + empty == empty
    assert (some(1) + two).reports == 1000  # equal counts alone are no proof of equal reports


def test_a_file_that_does_not_name_its_parts_is_one_part(tmp_path: Path) -> None:
    path = tmp_path / "old.tally"
    tally = some(1)
    header = np.array(json.dumps(tally._header()))
    np.savez_compressed(path.open("wb"), header=header, counts=tally.counts)
    old = hm.Tally.load(path)
    assert old == tally
    with pytest.raises(hm.TallyError, match="reports in common"):
        old + hm.Tally.load(path)
    header = np.array(json.dumps(tally._header() | {"parts": [1]}))
    np.savez_compressed(path.open("wb"), header=header, counts=tally.counts)
    with pytest.raises(hm.TallyError, match="not a list of words"):
        hm.Tally.load(path)


def test_a_tally_belongs_to_its_survey() -> None:
    other = hm.Survey("phones", SURVEY.attributes, 2.0)
    with pytest.raises(hm.TallyError, match="belongs to another survey"):
        other.estimate(some(1))


def test_a_tally_is_saved_and_loaded_whole(tmp_path: Path) -> None:
    tally = some(1)
    tally.save(tmp_path / "one.tally")
    assert hm.Tally.load(tmp_path / "one.tally") == tally
    assert (tmp_path / "one.tally").stat().st_size < 4000
    assert [path.name for path in tmp_path.iterdir()] == ["one.tally"]


def test_damaged_tally_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.tally"
    tally = some(1)
    whole = tally.to_bytes()
    for content in (b"", b"hello", whole[:100], whole[:-30]):
        path.write_bytes(content)
        with pytest.raises(hm.TallyError):
            hm.Tally.load(path)
    with pytest.raises(hm.TallyError, match="cannot be read"):
        hm.Tally.load(tmp_path / "absent.tally")
    tally.counts[0] += 1
    tally.save(path)
    with pytest.raises(hm.TallyError, match="do not add up"):
        hm.Tally.load(path)
    tally.counts[0] = -5
    tally.save(path)
    with pytest.raises(hm.TallyError, match="negative"):
        hm.Tally.load(path)
