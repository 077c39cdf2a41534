"""Mechanisms: a code, then a table.  What comes out of the table is all that leaves a device.

Privacy: `symbol` sends whatever the value was through `table.walk`, with 53 fresh random bits.
The survey proved the table's bound before a mechanism exists, and everything before the
table is pre-processing, so the bound holds for every pair of values, and for none: someone
without an answer sends that of an index drawn with `round_word`, from the same bytes.
"""

from __future__ import annotations

from .codes import GridCode, LinearCode
from .errors import RefusedError
from .strict_json import whole
from .tables import DenseTable, ReplaceTable, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Union

    from .attributes import Number
    from .crosstab import Attribute

    Mechanism = Union["Grid", "Linear"]


class Grid:
    """A number, rounded at random to a grid point, then randomised by its table."""

    __slots__ = ("_high", "_low", "code", "replace", "rows", "table")

    def __init__(self, document: dict[str, Any], attribute: Number, table: Table) -> None:
        self.code = GridCode(document.get("points"))  # type: ignore[arg-type]  # checked inside
        if not isinstance(table, DenseTable):
            raise RefusedError("code: 'grid' needs a dense table")
        if self.code.points != table.inputs:
            raise RefusedError("code: 'points' must be the number of the table's inputs")
        self.table = table
        self.rows = self.code.rows
        self._low, self._high = attribute.low, attribute.high
        self.replace: ReplaceTable | None = None

    def index(self, answer: float | None, row: int, round_word: int) -> int:
        """Return the table's index for `answer`, given a random 64-bit word."""
        if answer is None:
            return (round_word >> 32) * self.code.points >> 32
        return self.code.index(answer, self._low, self._high, round_word)

    def symbol(self, answer: float | None, row: int, round_word: int, table_word: int) -> int:
        """Return the randomised symbol for `answer`, given two random 64-bit words."""
        return self.table.walk(self.index(answer, row, round_word), table_word >> 11)


class Linear:
    """One of a list of places, hashed by a linear code, then randomised by its table."""

    __slots__ = ("_place", "code", "replace", "rows", "table")

    def __init__(self, document: dict[str, Any], attribute: Attribute, table: Table) -> None:
        self.code = LinearCode(
            attribute.values,  # type: ignore[union-attr]  # by its code it is no plain number
            document.get("base"),  # type: ignore[arg-type]  # LinearCode checks all three
            document.get("digits"),  # type: ignore[arg-type]
            document.get("multipliers"),  # type: ignore[arg-type]
            attribute.signed,
        )
        if self.code.inputs != table.inputs:
            raise RefusedError("code: 'base' must be the number of the table's inputs")
        self.table = table
        self.rows = self.code.rows
        self._place = attribute.place  # type: ignore[union-attr]
        self.replace: ReplaceTable | None = None

    def index(self, answer: Any, row: int, round_word: int) -> int:
        """Return the table's index for `answer`, given a random 64-bit word."""
        return self.code.index(self._place(answer, round_word), row)

    def symbol(self, answer: Any, row: int, round_word: int, table_word: int) -> int:
        """Return the randomised symbol for `answer`, given two random 64-bit words."""
        return self.table.walk(self.index(answer, row, round_word), table_word >> 11)


def mechanism_from_document(document: Any, attribute: Attribute, tables: list[Table]) -> Mechanism:
    """Read the mechanism of one attribute in one tier, refusing anything that is not one."""
    if not isinstance(document, dict):
        raise RefusedError("must be an object with 'code' and 'table'")
    table = _table(document, "table", tables, Table)
    if document.get("code") != attribute.code:
        raise RefusedError(f"'code' must be '{attribute.code}' for this attribute")
    mark = document.get("signed")
    if (False if mark is None else mark) is not attribute.signed:
        raise RefusedError("code: 'signed' must be true for signed attributes, and no others")
    made: Mechanism
    if attribute.code == "grid":
        made = Grid(document, attribute, table)  # type: ignore[arg-type]  # by its code
    else:
        made = Linear(document, attribute, table)
    if document.get("replace") is not None:
        made.replace = _table(document, "replace", tables, ReplaceTable)
        if made.replace.symbols != made.table.symbols:
            raise RefusedError("'replace' must have as many symbols as 'table'")
    return made


def _table(document: dict[str, Any], field: str, tables: list[Any], kind: Any) -> Any:
    place = whole(document.get(field))
    if type(place) is int and 0 <= place < len(tables) and isinstance(tables[place], kind):
        return tables[place]
    kinds = "'replace'" if kind is ReplaceTable else "'dense' or 'circulant'"
    raise RefusedError(f"'{field}' must be the place of one of the survey's tables of kind {kinds}")
