"""Spelling in bulk: the bits of many texts at once, as `harmony_device.text` writes those of one.

Texts are normalised by Arrow, each different one is spelled once, and a character of all of them
is coded at a time: the code is laid out as an automaton, whose states are what contexts look at.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from harmony_device.text import END, POINT_BITS, START

from ..arrays import Words
from ..errors import DataError
from ..text import Text
from ..text_code import TextCode
from .coded import is_text
from .columns import SpelledTexts
from .sources import Objects
from .type_words import in_words

WORD = 64
CHUNK = 1 << 16
"""Texts that are spelled together: few enough for the cache."""

_ANY_CHARACTER = 0x110000
_CONTROL = r"[\x00-\x1f\x7f]"


def spell(source: Any, text: Text, as_devices: bool = False) -> SpelledTexts:
    """Return the code of every row of a column of texts (see `sources.source_of`).

    >>> text = Text("word", bits=8, code=TextCode.uniform("abc"))
    >>> spelled = spell(pa.chunked_array([["b", None, "B "]]), text)
    >>> [format(bits >> 56, "08b") for bits in spelled.bits.tolist()], spelled.told.tolist()
    (['01110000', '00000000', '01110000'], [True, False, True])
    """
    if isinstance(source, Objects):
        parts = [
            _of_objects(source, text, start, as_devices) for start in range(0, len(source), CHUNK)
        ]
        bits, told = zip(*((one.bits, one.told) for one in parts), strict=True)
        return SpelledTexts(np.concatenate(bits), np.concatenate(told))
    kind = pa.from_numpy_dtype(source.dtype) if isinstance(source, np.ndarray) else source.type
    holds = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not is_text(holds) and not pa.types.is_null(holds):
        if not as_devices:
            raise DataError(
                f"{text.name}: the column must hold text; it holds {in_words(str(kind))}"
            )
        source = pa.chunked_array([pa.nulls(len(source), pa.string())])
    return _of_arrow(source, text)


def _of_objects(source: Objects, text: Text, start: int, as_devices: bool) -> SpelledTexts:
    if not as_devices:
        return _of_arrow(source.slice(start, CHUNK), text)
    from harmony_device.fields import is_well_formed

    values = source.values[start : start + CHUNK]
    texts = [
        str.__str__(value) if isinstance(value, str) and is_well_formed(value) else None
        for value in values
    ]
    return _of_arrow(pa.chunked_array([pa.array(texts, pa.string())]), text)


def _of_arrow(source: pa.ChunkedArray, text: Text) -> SpelledTexts:
    encoded = source if pa.types.is_dictionary(source.type) else source.dictionary_encode()
    encoded = encoded.unify_dictionaries().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):  # no chunk at all, or more than one may hold
        encoded = encoded.chunk(0) if encoded.num_chunks else pa.array([], source.type)
    dictionary = encoded.dictionary.cast(pa.large_string())
    different = spell_each(dictionary, text.code, text.bits)
    stand_in, told = np.uint64(0), text.missing is not None
    if text.missing is not None:
        missing = pa.array([text.missing], pa.large_string())
        (stand_in,) = spell_each(missing, text.code, text.bits)
    is_there = np.append(~dictionary.is_null().to_numpy(zero_copy_only=False), False)
    indices = encoded.indices.fill_null(len(dictionary)).to_numpy(zero_copy_only=False)
    there = is_there[indices]
    bits = np.where(there, np.append(different, stand_in)[indices], stand_in)
    return SpelledTexts(bits, there | told)


def spell_each(texts: pa.LargeStringArray, code: TextCode, length: int) -> Words:
    """Return the first `length` bits of each text's code."""
    automaton = _automaton(code)
    parts = [
        automaton.spell(_normalized(texts.slice(start, CHUNK), length), length)
        for start in range(0, len(texts), CHUNK)
    ]
    return np.concatenate([np.empty(0, np.uint64), *parts])


def _normalized(texts: pa.LargeStringArray, length: int) -> pa.LargeStringArray:
    """Do as `harmony_device.text.normalized` does."""
    texts = texts.fill_null("")
    if pc.any(pc.match_substring_regex(texts, _CONTROL)).as_py():
        texts = pc.replace_substring_regex(texts, _CONTROL, " ")
    trimmed = pc.utf8_trim(pc.ascii_lower(texts), " ")
    return pc.utf8_slice_codeunits(trimmed, 0, length)


class _Automaton:
    """A code as arrays: the word of each character in each state, and the state after it."""

    def __init__(self, code: TextCode) -> None:
        states = {state: number for number, state in enumerate(sorted(code.states))}
        characters = sorted(code.characters)
        shape = len(states), len(characters) + 1
        self.start = states[code.state(START)]
        self.character = np.full(_ANY_CHARACTER, len(characters), np.int32)
        self.character[[ord(one) for one in characters]] = np.arange(len(characters))
        self.other = len(characters)
        self.after = np.zeros(shape, np.int32)
        self.sizes, self.words = np.zeros(shape, np.int64), np.zeros(shape, np.uint64)
        self.end_sizes = np.zeros(len(states), np.int64)
        self.end_words = np.zeros(len(states), np.uint64)
        points = range(_ANY_CHARACTER - 1, 0, -1)
        unlisted = next(one for one in map(chr, points) if one not in code.characters)
        for state, row in states.items():
            end = code.word(state, END)
            self.end_sizes[row], self.end_words[row] = len(end), int(end, 2)
            for place, one in enumerate(characters):
                word = code.word(state, one)[:WORD]
                self.sizes[row, place], self.words[row, place] = len(word), int(word, 2)
                self.after[row, place] = states[code.state(state + one)]
            # A character that nobody listed: the escapes alone; its code point comes after them.
            word = code.word(state, unlisted)[:-POINT_BITS]
            self.sizes[row, self.other], self.words[row, self.other] = len(word), int(word, 2)
            self.after[row, self.other] = states[""]

    def spell(self, texts: pa.LargeStringArray, length: int) -> Words:
        """Return the first bits of normalised texts."""
        points, starts, lengths = _code_points(texts)
        bits, size = np.zeros(len(texts), np.uint64), np.zeros(len(texts), np.int64)
        state = np.full(len(texts), self.start, np.int32)
        rows, place = np.arange(len(texts)), 0
        while len(rows):
            over = lengths[rows] == place
            ended = rows[over]
            _append(bits, size, ended, self.end_words[state[ended]], self.end_sizes[state[ended]])
            rows = rows[~over]
            point = points[starts[rows] + place]
            which, at = self.character[point], state[rows]
            _append(bits, size, rows, self.words[at, which], self.sizes[at, which])
            rare = which == self.other
            if rare.any():
                _append(bits, size, rows[rare], point[rare].astype(np.uint64), POINT_BITS)
            state[rows] = self.after[at, which]
            rows = rows[size[rows] < length]
            place += 1
        if length < WORD:
            bits &= ~np.uint64((1 << WORD - length) - 1)
        return bits


@lru_cache(maxsize=4)
def _automaton(code: TextCode) -> _Automaton:
    return _Automaton(code)


def _append(
    bits: Words, size: NDArray[np.int64], rows: NDArray[np.int64], words: Words, sizes: Any
) -> None:
    """Write words behind the bits of some rows, as far as 64 bits reach."""
    room = WORD - size[rows] - sizes
    left = np.maximum(room, 0).astype(np.uint64)
    right = np.minimum(np.maximum(-room, 0), WORD - 1).astype(np.uint64)
    bits[rows] |= words >> right << left
    size[rows] += sizes


def _code_points(
    texts: pa.LargeStringArray,
) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]:
    """Return the code points of all texts end to end, where each begins and how many it has."""
    _, offsets, content = texts.buffers()
    ends = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    raw = np.frombuffer(content or b"", np.uint8)[ends[0] : ends[-1]]
    ends = ends - ends[0]
    if not len(raw) or raw.max() < 0x80:
        points = raw.astype(np.uint32)
    else:
        points = np.frombuffer(raw.tobytes().decode().encode("utf-32-le"), np.uint32)
        ends = np.append(0, np.cumsum((raw & 0xC0) != 0x80))[ends]
    return points, ends[:-1], np.diff(ends)
