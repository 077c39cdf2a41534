"""The one door to the bulk path's arithmetic: the compiled kernels where they pay, else NumPy.

Loading the kernels takes about a second, and compiling them, once on a machine, some more.  So
small work is done by the reference, and so is all work while another thread loads them.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from ..arrays import Counts, Symbols, Tiers, Words
from . import reference
from .fields import Cells, Coin, Groups, Layout, Order, Places, Rows
from .reader import ChunkColumns

SMALL = 1 << 21
"""Answers that the reference gives in less time than it takes to load the kernels (a second)."""


WITHOUT_NUMBA = "Numba cannot be imported: large tables are collected in NumPy, which takes longer."


class Backend(Protocol):
    """What the reference and the kernels both do; the last arguments of each are filled."""

    def assign(self, ids: Words, coin: Coin, tiers: Tiers, group: Groups, row: Rows) -> None:
        """Draw the coins of the devices `ids`."""

    def arrange(self, group: Groups, row: Rows, words: Words, starts: Words, order: Words) -> None:
        """Put answers in order, group after group, each with its random words."""

    def answer_columns(
        self,
        columns: ChunkColumns,
        order: Order,
        layout: Layout,
        cells: Cells,
        places: Places,
        symbols: Symbols,
    ) -> None:
        """Answer and count every attribute of a chunk that is not answered yet.

        `places` is as long as `symbols`, and scratch.
        """

    def locate(
        self,
        group: Groups,
        row: Rows,
        symbols: Symbols,
        starts: Counts,
        widths: Counts,
        cells: Counts,
    ) -> None:
        """Find the cells in which symbols count."""

    def spread(
        self, mixed: Words, number: int, passes: int, starts: Counts, ordered: Words
    ) -> None:
        """Put the marks of one pass into shares."""


_kernels: Backend | None = None
_chosen: Backend | None = None
_loading = threading.Lock()
_done = 0


def backend(work: int = 0) -> Backend:
    """Return what to do so much `work` with, in answers.

    The kernels are loaded for work that is not small, alone or with what was done before.  While
    another thread loads them, nobody waits.
    """
    global _done
    if _chosen is not None:
        return _chosen
    if _kernels is not None:
        return _kernels
    _done += work
    if _done < SMALL or _loading.locked():
        return reference
    return load()


@contextmanager
def using(chosen: Backend) -> Iterator[None]:
    """Do all work with this one meanwhile: for tests, and to compare the two."""
    global _chosen
    before, _chosen = _chosen, chosen
    try:
        yield
    finally:
        _chosen = before


def load(announce: Callable[[str], None] | None = None) -> Backend:
    """Load the kernels, or compile them, unless that was done before; return them.

    `announce` is called with a line that says why it takes a while, if anything has to be
    compiled; without it the line goes to standard error.  Where Numba cannot be imported, the
    reference does all work.
    """
    global _kernels
    with _loading:
        if _kernels is None:
            try:
                from numba import config

                if getattr(config, "DISABLE_JIT", 0):
                    return reference
                from . import jit, kernels
            except ImportError:
                (announce or _to_stderr)(WITHOUT_NUMBA)
                _kernels = reference
                return reference
            for _ in jit.compile_kernels(announce or _to_stderr):
                if not threading.main_thread().is_alive():
                    return reference  # nobody needs the others any more
            _kernels = kernels
    return _kernels


def load_in_background(announce: Callable[[str], None] | None = None) -> threading.Thread:
    """Load the kernels in a thread of their own, which is returned; see `load`."""
    thread = threading.Thread(target=load, args=(announce,), name="harmony-kernels")
    thread.start()
    return thread


def _to_stderr(line: str) -> None:
    sys.stderr.write(f"{line}\n")
