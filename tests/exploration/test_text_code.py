"""The text code: a prefix code that spells every text, common ones shortly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import harmony as hm
from harmony.bulk.columns import SpelledTexts
from harmony.bulk.spelling import spell, spell_each
from harmony.bulk.text_places import places_of
from harmony.questions import question_from_document
from harmony.text import TextPlaces
from harmony_device.errors import RefusedError
from harmony_device.fields import is_well_formed
from harmony_device.text import Text as DeviceText
from harmony_device.text import TextCode as DeviceCode
from harmony_device.text import normalized

VECTORS = json.loads((Path(__file__).parents[2] / "device/vectors/texts.json").read_text("utf-8"))
CODES = VECTORS["codes"]
COMMON = hm.TextCode.common()
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)


def in_bulk(code: str, text: str, length: int) -> str:
    (bits,) = spell_each(pa.array([text], pa.large_string()), hm.TextCode(CODES[code]), length)
    return format(int(bits), "064b")[:length]


@pytest.mark.parametrize("code", CODES)
def test_devices_and_the_bulk_path_spell_as_the_vectors_say(code: str) -> None:
    cases = [case for case in VECTORS["spelled"] if case["code"] == code]
    for case in cases:
        text, length = case["text"], case["length"]
        assert DeviceCode(CODES[code]).bits(text, length) == case["bits"], case
        assert in_bulk(code, text, length) == case["bits"], case


@pytest.mark.parametrize("case", VECTORS["places"])
def test_every_value_has_the_place_that_the_vectors_say(case: dict[str, Any]) -> None:
    document = case["attribute"] | {"code": CODES[case["attribute"]["code"]]}
    value = None if isinstance(case["value"], dict) else case["value"]
    assert DeviceText(document).read(value) == case["place"]
    asked = question_from_document(document, "attributes[0]")
    assert isinstance(asked, TextPlaces)
    text = value if isinstance(value, str) and is_well_formed(value) else None
    spelled = spell(pa.chunked_array([pa.array([text], pa.string())]), asked.text)
    assert places_of(spelled, asked).tolist() == [case["place"]]


@given(TEXTS, st.sampled_from(list(CODES)), st.integers(1, 64))
def test_any_text_is_spelled_alike_on_a_device_and_in_bulk(
    text: str, code: str, length: int
) -> None:
    assert in_bulk(code, text, length) == DeviceCode(CODES[code]).bits(text, length)


@given(TEXTS)
def test_what_is_spelled_whole_can_be_read_back(text: str) -> None:
    size = COMMON.size(text)
    spelled = COMMON.spelled(COMMON.bits(text, size + 3))
    assert spelled is not None
    assert spelled.complete
    assert spelled.text == normalized(text, len(text))


@given(TEXTS, st.integers(0, 40))
def test_what_is_cut_is_a_beginning(text: str, length: int) -> None:
    spelled = COMMON.spelled(COMMON.bits(text, length))
    assert spelled is not None
    assert normalized(text, len(text)).startswith(spelled.text)


def test_no_bits_spell_two_texts() -> None:
    texts = ["the", "then", "them", "www.gnu.org", "gnu.org", "", "a", "é", "日本"]
    spelled = [COMMON.bits(text, 200)[: COMMON.size(text)] for text in texts]
    assert not any(one != other and one.startswith(other) for one in spelled for other in spelled)


def test_common_texts_are_short() -> None:
    sizes = {text: COMMON.size(text) for text in ("the", "weather", "google.com", "xqzjkv")}
    assert sizes["the"] < sizes["weather"] <= 26
    assert sizes["google.com"] <= 36
    assert sizes["xqzjkv"] > sizes["weather"]


def test_strings_are_counted_as_they_are_spelled() -> None:
    code = hm.TextCode(CODES["tiny"])
    spelled = {code.spelled(format(number, "08b")) for number in range(256)}
    whole = {one.text for one in spelled if one is not None and one.complete}
    within = {text for text in whole if code.size(text) <= 8}
    assert code.strings_within("", 8) == len(within)


def test_a_code_that_is_none_is_refused() -> None:
    for contexts, said in (
        ({}, "contexts"),
        ({"a": ["\x1b\x03"]}, "''"),
        ({"": ["a"]}, "escape"),
        ({"": ["a\x1b\x03"]}, "lengths"),
        ({"": ["", "aa\x1b\x03"]}, "once"),
        ({"": ["\x03\x1b"], "abcde": ["\x1b"]}, "context"),
    ):
        with pytest.raises(hm.SurveyError, match=said):
            hm.TextCode(contexts)
        with pytest.raises(RefusedError, match=said):
            DeviceCode(contexts)


def test_places_cover_prefixes_strings_and_all_others() -> None:
    text = hm.Text("word", bits=16, code=hm.TextCode.uniform("abcdef"))
    asked = text.places(["00", "10"], 3, ["1111"])
    bits = np.arange(1 << 16, dtype=np.uint64) << np.uint64(48)
    places = places_of(SpelledTexts(bits, np.ones(len(bits), np.bool_)), asked)
    assert set(places.tolist()) == set(asked.values)
    device = DeviceText(asked.to_document())
    spelled = {place: format(number, "016b") for number, place in enumerate(places.tolist())}
    assert spelled[16] == "1111000000000000"
    assert device.values == len(asked.values)


def test_a_code_that_lists_the_last_code_point_escapes_all_others() -> None:
    code = hm.TextCode.fit(["\U0010ffff", "ab"])
    for text in ("\U0010ffffa", "\U0010fffea", "\u0301", "a\x00b"):
        (bits,) = spell_each(pa.array([text], pa.large_string()), code, 48)
        assert format(int(bits) >> 16, "048b") == code.bits(text, 48)
