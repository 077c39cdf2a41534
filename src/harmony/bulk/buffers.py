"""Buffers: the arrays that one worker fills anew for every chunk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .threads import cores

MOST_KEPT = 1 << 24
"""Bytes of the largest buffers that are kept until another collection."""


class Buffers:
    """Hands out the same memory again and again, by name.

    Memory that is given back and asked for again may be cleared by the system in between, page
    by page, which takes as long as the work that is done in it.
    """

    _free: ClassVar[list[Buffers]] = []

    @classmethod
    @contextmanager
    def borrow(cls) -> Iterator[Buffers]:
        """Lend buffers, if possible used ones; afterwards they are wiped and kept."""
        try:
            buffers = cls._free.pop()
        except IndexError:
            buffers = cls()
        try:
            yield buffers
        finally:
            buffers.wipe()
            size = sum(kept.nbytes for kept in buffers._arrays.values())
            if size <= MOST_KEPT and len(cls._free) < cores():
                cls._free.append(buffers)

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[Any]] = {}

    def array(self, name: str, size: int, kind: DTypeLike) -> NDArray[Any]:
        """Return an array to fill; the last of that name is lost.

        >>> buffers = Buffers()
        >>> buffers.array("row", 3, np.uint32)[:] = 7
        >>> buffers.array("row", 2, np.uint32).tolist()
        [7, 7]
        """
        kept = self._arrays.get(name)
        if kept is None or len(kept) < size:
            if kept is not None:
                kept.fill(0)
            kept = self._arrays[name] = np.empty(size, kind)
        return kept[:size]

    def wipe(self) -> None:
        """Forget what lies here: random words tell what was answered."""
        for kept in self._arrays.values():
            kept.fill(0)
