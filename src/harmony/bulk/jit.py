"""How the bulk kernels are compiled, and the words that they share.

Numba keeps what it compiled beside each file until that file changes; whoever changes something
that another file's kernels call must touch that file, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]  # it has no types
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

compiled: Any = njit(cache=True, nogil=True, boundscheck=False)
inlined: Any = njit(cache=True, nogil=True, inline="always")

LOW_HALF = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
ONE, TWO, TRIPLE = np.uint64(1), np.uint64(2), np.uint64(3)

LINE = 64
"""Bytes of a line of the cache."""


@intrinsic
def prefetch(context, address):  # type: ignore[no-untyped-def]
    """Have the memory at an address brought into the cache, without waiting for it."""

    def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], kind)
        at = builder.inttoptr(arguments[0], cgutils.voidptr_t)
        builder.call(fetch, [at, number(0), number(3), number(1)])  # to read, soon, as data
        return context.get_dummy_value()

    return types.void(address), codegen
