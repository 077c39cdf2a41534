"""Counting a column straight from its Parquet pages, without decoding it.

A log's cells are dictionary-encoded: their pages hold indices, packed into as few bits as they
need.  Equal indices are equal cells, so indices are counted as they lie there, and each is looked
up once, at the end.  That takes half the time of decoding them.  Whatever is written in another
way, or damaged, is left to Arrow.  The format: https://parquet.apache.org/docs/file-format.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]  # it has no types
from numba import njit, types
from numba.extending import intrinsic

from ..arrays import Counts
from ..bulk.jit import compiled
from .log import Pages

WORD = 8
"""Bytes read at once.  So many must follow a column's pages: the last word may begin in them."""

WIDEST = 14
"""The most bits of an index, so that four of them lie in a word, wherever in a byte they begin."""

LANES = 4
"""Copies of the counts that take turns, so that equal indices in a row need not wait."""

DATA_PAGE, DICTIONARY_PAGE = 0, 2
PLAIN, PLAIN_DICTIONARY, RLE_DICTIONARY = 0, 2, 8

# A page's header is a struct in Thrift's compact protocol: what is read of it, and types of fields.
KIND, SIZE, VALUES, ENCODING, HEADED = range(5)
STOP, BYTE, I16, I64, DOUBLE, BINARY, STRUCT = 0, 3, 4, 6, 7, 8, 12
NESTED = 4

_checked: Any = njit(cache=True, nogil=True, boundscheck=True)


def count_indices(column: Pages, values: int) -> tuple[Counts, Counts] | None:
    """Return the integers of a column and how often each occurs, or None: ask Arrow.

    `column` is its pages, not compressed and without nulls, and a word more.

    >>> import io, pyarrow as pa, pyarrow.parquet as pq
    >>> cells = pa.schema([pa.field("cell", pa.int32(), nullable=False)])
    >>> table, file = pa.table({"cell": [7, 7, 5]}, cells), io.BytesIO()
    >>> pq.write_table(table, file, compression="none")
    >>> about = pq.read_metadata(file).row_group(0).column(0)
    >>> start, size = about.dictionary_page_offset, about.total_compressed_size
    >>> column = np.frombuffer(file.getvalue(), np.uint8)[start : start + size + WORD]
    >>> [part.tolist() for part in count_indices(column, 3)]
    [[7, 5], [2, 1]]
    """
    try:
        start, about = _header(column, 0)
        first, entries = start + about[SIZE], about[VALUES]
        if about[KIND] != DICTIONARY_PAGE or about[ENCODING] not in (PLAIN, PLAIN_DICTIONARY):
            return None
        cells = _integers(column[start:first], entries)
        width = max(1, (int(entries) - 1).bit_length())
        if cells is None or width > WIDEST:
            return None
        lanes = np.zeros((LANES, 1 << width), np.uint32)
        counted = _count_pages(column, first, width, lanes)
    except IndexError:  # a number leads out of the column
        return None
    counts = lanes.sum(axis=0, dtype=np.int64)
    return (cells, counts[:entries]) if counted == values == counts[:entries].sum() else None


def _integers(raw: Pages, entries: int) -> Counts | None:
    """Return the entries of a dictionary, 4 or 8 bytes each."""
    for kind in ("<i4", "<i8"):
        if entries > 0 and len(raw) == entries * np.dtype(kind).itemsize:
            return np.frombuffer(raw.tobytes(), kind).astype(np.int64)
    return None


@_checked
def _varint(column, at):  # type: ignore[no-untyped-def]
    """Return the number at a place, and the place after it."""
    number = np.int64(0)
    for bits in range(0, 35, 7):
        byte = np.int64(column[at])
        at += 1
        number |= (byte & 127) << bits
        if byte < 128:
            return number, at
    raise IndexError


@_checked
def _header(column, at):  # type: ignore[no-untyped-def]
    """Read the header at a place; return the place after it, and what it says."""
    about = np.zeros(HEADED, np.int64)
    fields = np.zeros(NESTED, np.int64)  # the last field of each struct that is open
    depth = 0
    while depth >= 0:
        step, kind = column[at] >> 4, column[at] & 15
        at += 1
        if kind == STOP:
            depth -= 1
            continue
        fields[depth] += step
        if not step:
            number, at = _varint(column, at)
            fields[depth] = number >> 1
        if kind == STRUCT:
            depth += 1
            fields[depth] = 0
        elif I16 <= kind <= I64:
            number, at = _varint(column, at)
            _note(about, fields, depth, number >> 1)
        elif kind == BINARY:
            number, at = _varint(column, at)
            at += number
        elif kind == DOUBLE:
            at += WORD
        elif kind == BYTE:
            at += 1
        elif kind > BYTE:
            raise IndexError  # lists and maps, of which a header has none
    return at, about


@_checked
def _note(about, fields, depth, number):  # type: ignore[no-untyped-def]
    """Keep a number if it is one of the four that matter; none of those is negative."""
    if depth == 0 and fields[0] == 1:
        about[KIND] = number
    elif depth == 0 and fields[0] == 3:  # the size that it has in the file
        about[SIZE] = number
    elif depth == 1 and (fields[0] == 5 or fields[0] == 7) and fields[1] == 1:
        about[VALUES] = number
    elif depth == 1 and (fields[0] == 5 or fields[0] == 7) and fields[1] == 2:
        about[ENCODING] = number


@_checked
def _count_pages(column, at, widest, lanes):  # type: ignore[no-untyped-def]
    """Count the indices of all data pages, from a place on; return how many there are."""
    counted, end = 0, len(column) - WORD
    while at < end:
        start, about = _header(column, at)
        at = start + about[SIZE]
        width = column[start]
        kept = about[ENCODING] == RLE_DICTIONARY or about[ENCODING] == PLAIN_DICTIONARY
        if about[KIND] != DATA_PAGE or not kept or at > end or width > widest:
            raise IndexError
        _count_runs(column[: at + WORD], start + 1, np.int64(width), about[VALUES], lanes)
        counted += about[VALUES]
    return counted


@_checked
def _count_runs(page, at, width, left, lanes):  # type: ignore[no-untyped-def]
    """Count the `left` indices of a page, run after run: of one index, or packed in groups of 8."""
    end = len(page) - WORD
    while left > 0:
        run, at = _varint(page, at)
        size, many = run >> 1, run & 1
        last = at + (size * width if many else (width + 7) // 8)
        if last > end:
            raise IndexError
        values = min(left, 8 * size if many else size)
        if many:
            _count_packed(page, at, width, values, lanes)
        else:
            index = np.int64(0)
            for place in range(last - 1, at - 1, -1):
                index = index << 8 | np.int64(page[place])
            lanes[0, index] += np.uint32(values)
        at, left = last, left - values


@intrinsic
def _word(context, address):  # type: ignore[no-untyped-def]
    """Read the 64-bit word at an address, wherever it lies."""

    def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.load(builder.inttoptr(arguments[0], ir.IntType(64).as_pointer()), align=1)

    return types.uint64(types.uint64), codegen


@compiled
def _count_packed(page, at, width, values, lanes):  # type: ignore[no-untyped-def]
    """Count packed indices, eight in `width` bytes; none can be too large for the lanes."""
    a, b, c, d = lanes[0], lanes[1], lanes[2], lanes[3]
    one, mask = np.uint32(1), np.uint64((1 << width) - 1)
    w, ww, www = np.uint64(width), np.uint64(2 * width), np.uint64(3 * width)
    half, rest = np.uint64(4 * width >> 3), np.uint64(4 * width & 7)
    address = np.uint64(page.ctypes.data) + np.uint64(at)
    for _ in range(values // 8):
        lower: Any = _word(address)  # type: ignore[call-arg]  # numba adds one
        upper: Any = _word(address + half) >> rest
        a[lower & mask] += one
        b[lower >> w & mask] += one
        c[lower >> ww & mask] += one
        d[lower >> www & mask] += one
        a[upper & mask] += one
        b[upper >> w & mask] += one
        c[upper >> ww & mask] += one
        d[upper >> www & mask] += one
        address += w
    for place in range(values % 8):
        bit = np.uint64(place) * w
        word: Any = _word(address + (bit >> np.uint64(3)))  # type: ignore[call-arg]
        a[word >> (bit & np.uint64(7)) & mask] += one
