"""Blocks: the reports of one round, a row each, and the cells that they count in."""

from __future__ import annotations

from binascii import unhexlify
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harmony.arrays import NO_TIERS, Counts, Symbols, Words
from harmony.bulk.coins import Coins
from harmony.rounds import Round
from harmony.survey import Survey
from harmony_device.coins import ID_BYTES

from ..sealing import Ids, sealer, unseal, unsealer
from ..strata import NO_STRATUM, strata_in

Reports = NDArray[np.uint8]
"""One report a row, as bytes: device, tier, symbols."""

TIER = ID_BYTES
"""Where a report's tier is; its symbols follow."""


def report_size(survey: Survey) -> int:
    """Return how many bytes every report to a survey has."""
    return TIER + 1 + survey.answers * survey.symbol_bytes


@dataclass(frozen=True, eq=False)
class LiveRound:
    """A round that the service knows, with what it takes to read its reports.

    A step of a training is a round whose devices may report in none of the other steps.  `key`
    seals the ids of its reports in the database; it is None once it was thrown away.  Under
    `stratum_key` ids say their devices' strata.
    """

    id: int
    survey: Survey
    round: Round
    opened: float
    training: int | None = None
    key: bytes | None = field(default=None, repr=False)
    stratum_key: bytes | None = field(default=None, repr=False)

    @cached_property
    def size(self) -> int:
        """Bytes of a report."""
        return report_size(self.survey)

    @cached_property
    def coins(self) -> Coins:
        """The round's coins."""
        return Coins(self.survey, self.round)

    @cached_property
    def _seal(self) -> Ids:
        assert self.key is not None
        return sealer(self.key)

    @cached_property
    def _unseal_stratum(self) -> Ids:
        assert self.stratum_key is not None
        return unsealer(self.stratum_key)

    def rows(self, packed: bytes | memoryview) -> Reports:
        """Cut packed reports into rows."""
        return np.frombuffer(packed, np.uint8).reshape(-1, self.size)

    def seal(self, reports: Reports) -> Reports:
        """Return reports as the database keeps them: their ids sealed under the round's key."""
        return _with_ids(reports, self._seal(id_bytes(reports)))

    def unseal(self, stored: Reports) -> Reports:
        """Return reports of the database as their devices sent them."""
        assert self.key is not None
        return _with_ids(stored, unseal(id_bytes(stored), self.key))

    def from_hex(self, text: str) -> bytes | None:
        """Return the bytes of a report in hex, or None if it is not one of this survey."""
        if len(text) != 2 * self.size:
            return None
        try:
            return unhexlify(text)
        except ValueError:
            return None

    def symbols(self, reports: Reports) -> Symbols:
        """Return the symbols of every answer, flat."""
        kind = np.dtype(np.uint8 if self.survey.symbol_bytes == 1 else "<u2")
        sent = np.ascontiguousarray(reports[:, TIER + 1 :]).view(kind)
        return sent.reshape(-1).astype(np.uint16)

    def locate(self, reports: Reports) -> Counts:
        """Return the cells of each report's answers, a row each; -1 in rows that are malformed."""
        answers, offered = self.survey.answers, len(self.survey.tiers)
        tiers = reports[:, TIER]
        chosen = NO_TIERS if offered == 1 else np.minimum(tiers, offered - 1)
        cells = self.coins.locate(device_words(reports), chosen, self.symbols(reports))
        cells = cells.reshape(len(reports), answers)
        cells[(cells < 0).any(axis=1) | (tiers >= offered)] = -1
        return cells

    def strata(self, reports: Reports) -> Counts:
        """Return the stratum of each report's device."""
        if self.stratum_key is None:
            return np.full(len(reports), NO_STRATUM, np.int64)
        return strata_in(self._unseal_stratum(id_bytes(reports)))

    def are_due(self, reports: Reports) -> NDArray[np.bool_]:
        """Return whether it is each report's device's turn: always, without rotation."""
        if self.survey.every is None:
            return np.ones(len(reports), np.bool_)
        return self.coins.are_due(device_words(reports))


def device_words(reports: Reports) -> Words:
    """Return the reports' device ids as two rows of words, low words first."""
    ids = np.ascontiguousarray(reports[:, :ID_BYTES]).view("<u8")
    return np.ascontiguousarray(ids.T)


def rows_of(values: NDArray[Any], rows: NDArray[np.intp]) -> NDArray[Any]:
    """Return some rows, of which none comes twice, in order; without a copy if that is all."""
    return values if len(rows) == len(values) else values[rows]


def id_bytes(reports: Reports) -> bytes:
    """Return the reports' device ids, end to end."""
    return reports[:, :ID_BYTES].tobytes()


def _with_ids(reports: Reports, ids: bytes) -> Reports:
    named = reports.copy()
    named[:, :ID_BYTES] = np.frombuffer(ids, np.uint8).reshape(-1, ID_BYTES)
    return named


@dataclass(frozen=True, eq=False)
class Block:
    """Reports of one round that arrived together."""

    round: LiveRound
    reports: Reports
