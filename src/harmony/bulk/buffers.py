"""Desks: the arrays that one worker fills anew for every chunk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .threads import cores

MOST_KEPT = 1 << 24
"""Bytes of the largest desk that is kept until another collection."""


class Desk:
    """Hands out the same memory again and again, by name.

    Memory that is given back and asked for again may be cleared by the system in between, page
    by page, which takes as long as the work that is done in it.
    """

    _free: ClassVar[list[Desk]] = []

    @classmethod
    @contextmanager
    def lent(cls) -> Iterator[Desk]:
        """Lend a desk, if possible one that was used before; afterwards it is wiped and kept."""
        try:
            desk = cls._free.pop()
        except IndexError:
            desk = cls()
        try:
            yield desk
        finally:
            desk.wipe()
            size = sum(kept.nbytes for kept in desk._arrays.values())
            if size <= MOST_KEPT and len(cls._free) < cores():
                cls._free.append(desk)

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[Any]] = {}

    def array(self, name: str, size: int, kind: DTypeLike) -> NDArray[Any]:
        """Return an array to fill; the last of that name is lost.

        >>> desk = Desk()
        >>> desk.array("row", 3, np.uint32)[:] = 7
        >>> desk.array("row", 2, np.uint32).tolist()
        [7, 7]
        """
        kept = self._arrays.get(name)
        if kept is None or len(kept) < size:
            kept = self._arrays[name] = np.empty(size, kind)
        return kept[:size]

    def wipe(self) -> None:
        """Forget what lies here: random words tell what was answered."""
        for kept in self._arrays.values():
            kept.fill(0)
