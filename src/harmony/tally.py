"""Tallies: exact counts of symbols by attribute and row.  They merge with `+`."""

from __future__ import annotations

import hashlib
import io
import json
import secrets
import zipfile
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import Counts
from .errors import TallyError
from .files import write_whole
from .rounds import Round

if TYPE_CHECKING:
    from .survey import Survey

Shapes = tuple[tuple[tuple[int, int], ...], ...]
"""(rows, symbols) for each attribute of each tier."""

_FORMAT = "harmony-tally/1"


@dataclass(frozen=True, eq=False)
class Tally:
    """The counts of one round of one survey: all that the analysis needs.

    `counts` is flat: tier after tier, attribute after attribute, row after row.  `cells` shows
    it as cells[tier][attribute][row, symbol].  `tier_reports` says how many devices reported.
    `parts` names the counts that were added up, each by a random word, so that none is added
    twice; it says nothing about what is in them.

    >>> import harmony as hm
    >>> survey = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0)
    >>> week = hm.Round("2026-W46", bytes(16))
    >>> north = survey.collect({"wifi": [True, False, True]}, seed=1, round=week)
    >>> south = survey.collect({"wifi": [True, True]}, seed=2, round=week, first=3)
    >>> north + south
    <Tally of 'phones', round 2026-W46: 5 reports>
    >>> north + south + north
    Traceback (most recent call last):
    harmony.errors.TallyError: these tallies have reports in common...
    """

    survey: str
    fingerprint: str
    round: Round
    answers: int
    shapes: Shapes
    counts: Counts
    tier_reports: tuple[int, ...]
    parts: frozenset[str] = field(default=frozenset(), repr=False)

    @classmethod
    def of(
        cls, survey: Survey, round: Round, counts: Counts, tier_reports: tuple[int, ...]
    ) -> Tally:
        """Return the tally of `survey` with these flat counts, which are in no other tally."""
        return cls(
            survey.name,
            survey.fingerprint,
            round,
            survey.answers,
            cell_shapes(survey),
            counts,
            tier_reports,
            frozenset([secrets.token_hex(8)] if sum(tier_reports) else []),
        )

    @classmethod
    def empty(cls, survey: Survey, round: Round) -> Tally:
        """Return the tally of no reports."""
        size = sum(rows * symbols for tier in cell_shapes(survey) for rows, symbols in tier)
        return cls.of(survey, round, np.zeros(size, np.int64), (0,) * len(survey.tiers))

    @property
    def reports(self) -> int:
        """How many devices reported."""
        return sum(self.tier_reports)

    @cached_property
    def cells(self) -> tuple[tuple[Counts, ...], ...]:
        """The counts as cells[tier][attribute][row, symbol]."""
        shown, start = [], 0
        for tier in self.shapes:
            row = []
            for rows, symbols in tier:
                row.append(self.counts[start : start + rows * symbols].reshape(rows, symbols))
                start += rows * symbols
            shown.append(tuple(row))
        return tuple(shown)

    def __add__(self, other: Tally) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        if self.fingerprint != other.fingerprint:
            raise TallyError(
                f"tallies of different surveys cannot be added ({self.survey!r} and "
                f"{other.survey!r}, or the same name with other tables)"
            )
        if self.round != other.round:
            raise TallyError(
                f"tallies of different rounds cannot be added ({self.round.label!r} and "
                f"{other.round.label!r}, or the same label with another seed); to spread one "
                "round over several collections, give each the same round"
            )
        if self.parts & other.parts:
            raise TallyError(
                "these tallies have reports in common, which would count twice and make every "
                "interval too narrow; add each collection once"
            )
        return replace(
            self,
            counts=self.counts + other.counts,
            tier_reports=tuple(map(sum, zip(self.tier_reports, other.tier_reports, strict=True))),
            parts=self.parts | other.parts,
        )

    def __radd__(self, other: object) -> Tally:
        """Let `sum(tallies)` work."""
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        return self._header() == other._header() and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]  # holds an array

    def __repr__(self) -> str:
        count = f"{self.reports:,} report" + ("" if self.reports == 1 else "s")
        return f"<Tally of {self.survey!r}, round {self.round.label}: {count}>"

    def _repr_html_(self) -> str:
        from .html_table import html_table

        rows = [[str(tier), f"{count:,}"] for tier, count in enumerate(self.tier_reports)]
        return html_table(repr(self)[1:-1], ["tier", ">reports"], rows)

    def check(self, survey: Survey) -> None:
        """Make sure that this is a tally of `survey`."""
        if self.fingerprint != survey.fingerprint:
            raise TallyError(
                f"the tally belongs to another survey ({self.survey!r}, fingerprint "
                f"{self.fingerprint[:12]}), not to {survey.name!r} ({survey.fingerprint[:12]}); "
                "load the survey file that was collected with"
            )

    def to_bytes(self) -> bytes:
        """Return the tally as the bytes of one small file."""
        buffer = io.BytesIO()
        header = np.array(json.dumps(self._header() | {"parts": sorted(self.parts)}))
        np.savez_compressed(buffer, header=header, counts=self.counts)
        return buffer.getvalue()

    def save(self, path: str | Path) -> None:
        """Write the tally to one small file."""
        write_whole(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | Path) -> Tally:
        """Read a tally back; a damaged file is refused."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                header, counts = json.loads(str(stored["header"])), stored["counts"]
        except OSError as problem:
            raise TallyError(f"{path}: cannot be read ({problem.strerror or problem})") from None
        except (ValueError, KeyError, zipfile.BadZipFile, EOFError):
            raise TallyError(f"{path}: is not a tally file") from None
        try:
            return cls._from_header(header, counts)
        except (KeyError, TypeError, ValueError) as problem:
            raise TallyError(f"{path}: the tally is damaged ({problem})") from None

    def _header(self) -> dict[str, Any]:
        return {
            "format": _FORMAT,
            "survey": self.survey,
            "fingerprint": self.fingerprint,
            **self.round.to_dict(),
            "answers": self.answers,
            "shapes": [[list(shape) for shape in tier] for tier in self.shapes],
            "reports": list(self.tier_reports),
        }

    @classmethod
    def _from_header(cls, header: dict[str, Any], counts: Counts) -> Tally:
        if header["format"] != _FORMAT:
            raise ValueError(f"its format is not {_FORMAT}")
        shapes: Shapes = tuple(
            tuple((int(rows), int(symbols)) for rows, symbols in tier) for tier in header["shapes"]
        )
        if counts.shape != (sum(r * s for tier in shapes for r, s in tier),):
            raise ValueError("it has too few or too many counts")
        if counts.dtype != np.int64 or (counts < 0).any():
            raise ValueError("a count is negative or not an integer")
        tally = cls(
            header["survey"],
            header["fingerprint"],
            Round.from_dict(header),
            header["answers"],
            shapes,
            counts,
            tuple(header["reports"]),
            _parts(header, counts),
        )
        for tier, reports in zip(tally.cells, tally.tier_reports, strict=True):
            if sum(int(cells.sum()) for cells in tier) != reports * tally.answers:
                raise ValueError("its counts do not add up to its reports")
        return tally


def cell_shapes(survey: Survey) -> Shapes:
    """Return the (rows, symbols) of each attribute's cells, tier by tier."""
    return tuple(
        tuple((mechanism.code.rows, mechanism.table.symbols) for mechanism in tier)
        for tier in survey.mechanisms
    )


def _parts(header: dict[str, Any], counts: Counts) -> frozenset[str]:
    """Return what a file says it was added up from; one that does not is a part by itself."""
    parts = header.get("parts")
    if parts is None:
        return frozenset([hashlib.sha256(counts.tobytes()).hexdigest()[:16]])
    if not isinstance(parts, list) or not all(isinstance(one, str) for one in parts):
        raise ValueError("its parts are not a list of words")
    return frozenset(parts)
