"""Desks: the arrays that one worker fills anew for every chunk."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Desk:
    """Hands out the same memory again and again, by name.

    Memory that is given back and asked for again may be cleared by the system in between, page
    by page, which takes as long as the work that is done in it.
    """

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
