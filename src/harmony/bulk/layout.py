"""A survey's codes and tables laid out flat, as the reference and the kernels read them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from harmony_device.tables import Table

from ..attributes import Numeric, Signed
from ..mechanisms import Grid, Linear, SignedLinear
from ..mechanisms.transforms import point_numbers
from ..questions import parts_of
from .columns import Column, NumberColumn
from .fields import (
    BASE,
    CIRCULANT,
    CODE_FIELDS,
    COLUMN,
    COMPLETE,
    EDGE,
    EDGES,
    FIELDS,
    GUIDE,
    GUIDE_BITS,
    GUIDES,
    INDEX,
    LOOKUP,
    LOOKUPS,
    MOST_PARTS,
    MULTIPLIER,
    NEGATIVE,
    PART_FIELDS,
    PLACES,
    POINTS,
    RUNNING,
    VALUES,
    VECTOR,
    VECTORS,
    WIDTH,
    Layout,
)

if TYPE_CHECKING:
    from ..survey import Survey


class _Flat:
    """Arrays joined end to end, each known by where it begins; equal ones lie there once."""

    def __init__(self, kind: type) -> None:
        self._kind = kind
        self._parts: list[NDArray[Any]] = []
        self._starts: dict[bytes, int] = {}
        self._length = 0

    def add(self, part: NDArray[Any]) -> int:
        """Append a part, unless it is there, and return where it begins."""
        flat: NDArray[Any] = part.astype(self._kind, copy=False).reshape(-1)
        start = self._starts.setdefault(flat.tobytes(), self._length)
        if start == self._length:
            self._parts.append(flat)
            self._length += flat.size
        return start

    def joined(self) -> NDArray[Any]:
        return np.concatenate([np.empty(0, self._kind), *self._parts])


def lay_out(survey: Survey, columns: Sequence[Column]) -> Layout:
    """Return the layout of a survey whose parts, one after the other, read these columns."""
    lookups = _Flat(np.int32)
    complete: dict[int, bool] = {}
    distinct = list(dict.fromkeys(columns))
    numbers = np.zeros((len(distinct), 3))
    codes = np.zeros((len(distinct), CODE_FIELDS), np.int64)
    for place, column in enumerate(distinct):
        if isinstance(column, NumberColumn):
            number = column.attribute
            missing = np.nan if number.missing is None else number.missing
            numbers[place] = number.low, number.high, missing
            continue
        start = lookups.add(column.lookup)
        if start not in complete:
            complete[start] = bool(column.lookup.min() >= 0)
        codes[place, BASE] = column.base
        codes[place, LOOKUP], codes[place, LOOKUPS] = start, len(column.lookup)
        codes[place, COMPLETE] = complete[start] or column.drawn
    layout = _of_survey(survey)
    parts = layout.parts.copy()
    parts[parts[:, COLUMN] >= 0, COLUMN] = [distinct.index(column) for column in columns]
    return layout._replace(parts=parts, numbers=numbers, codes=codes, lookups=lookups.joined())


@lru_cache(maxsize=16)
def _of_survey(survey: Survey) -> Layout:
    """Return what does not depend on the columns; surveys that are asked again need it again."""
    attributes = survey.attributes
    parts = np.zeros((MOST_PARTS * len(attributes), PART_FIELDS), np.int64)
    parts[:, COLUMN] = -1
    edges = _Flat(np.float64)
    for place, attribute in enumerate(attributes):
        for row, part in zip(parts[MOST_PARTS * place :], parts_of(attribute), strict=False):
            row[COLUMN] = 0
            row[PLACES] = len(part.values)
            row[NEGATIVE] = part.size if isinstance(part, Signed) else 0
            if isinstance(part, Numeric) and part.edges:
                row[EDGE], row[EDGES] = edges.add(np.array(part.edges)), len(part.edges)
    running, guide = _Flat(np.uint64), _Flat(np.uint16)
    multipliers, vectors, indices = _Flat(np.uint64), _Flat(np.uint64), _Flat(np.uint16)
    tables: dict[Table, tuple[int, int]] = {}
    shapes = np.zeros((len(survey.tiers) * len(attributes), FIELDS), np.int64)
    for shape, mechanism in zip(shapes, chain.from_iterable(survey.mechanisms), strict=True):
        table = mechanism.fresh_table
        if table not in tables:
            sums = np.cumsum(np.atleast_2d(np.array(table.counts, np.uint64)), 1, np.uint64)
            tables[table] = running.add(sums), guide.add(_guide(sums))
        shape[POINTS] = table.inputs
        shape[WIDTH] = table.symbols
        shape[CIRCULANT] = table.kind == "circulant"
        shape[RUNNING], shape[GUIDE] = tables[table]
        if not isinstance(mechanism, Grid):
            code, known = mechanism.code, _indices(mechanism)
            shape[MULTIPLIER] = multipliers.add(np.array(code.multipliers))
            shape[VECTOR] = vectors.add(point_numbers(code))
            shape[VECTORS] = code.points
            shape[INDEX] = indices.add(known)
            shape[VALUES] = known.shape[1]
    return Layout(
        shapes,
        running.joined(),
        guide.joined(),
        multipliers.joined(),
        vectors.joined(),
        indices.joined(),
        parts,
        edges.joined(),
        numbers=np.empty((0, 3)),
        codes=np.empty((0, 0), np.int64),
        lookups=np.empty(0, np.int32),
    )


def _guide(running: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return, for each row and each value of a draw's highest bits, the first place it can be."""
    starts = np.arange(GUIDES, dtype=np.uint64) << np.uint64(53 - GUIDE_BITS)
    return np.stack([np.searchsorted(row, starts, side="right") for row in running])


def _indices(linear: Linear | SignedLinear) -> NDArray[np.uint16]:
    """Return the index of every row and value where that is a small table, else nothing."""
    return np.empty((0, 0), np.uint16) if linear.indices is None else linear.indices
