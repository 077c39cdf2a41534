"""How the kernels are compiled: each for one kind of arguments, once on a machine.

What was compiled is kept on disk: in `NUMBA_CACHE_DIR` if that is set, beside the source, or in
the user's cache, wherever one may write first.  Its name changes with the kernels' source, Numba,
Python and the processor, so nothing out of date is ever loaded.  A file that is damaged is not
loaded either, and a cache that nobody may write to is no error: the kernels are compiled again.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba import njit, types
from numba.core import serialize
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult

from ..errors import HarmonyError
from ..files import write_whole

loop: Any = njit(nogil=True, boundscheck=False)
"""For the loops that kernels are made of."""

inlined: Any = njit(nogil=True, inline="always")
"""For loops over columns of many types: as lines of their caller they compile sooner."""

part: Any = njit(nogil=True, forceinline=True)
"""For the steps within a loop, which the compiler must see whole to take several at a time."""

Announce = Callable[[str], None]

SUFFIX = ".kernel"
_HERE = Path(__file__).parent
_DIGEST_BYTES = 32

# Numba's own, which have no types.
_dumps: Any = serialize.dumps
_rebuild: Any = CompileResult._rebuild
_tuple_type: Any = types.BaseTuple.from_types

_kernels: list[tuple[Any, Any]] = []


def array(kind: Any, dimensions: int = 1) -> Any:
    """Return the type of a contiguous array."""
    return types.Array(kind, dimensions, "C")


def read_only(kind: Any, dimensions: int = 1) -> Any:
    """Return the type of a contiguous array that need not be writable."""
    return types.Array(kind, dimensions, "C", readonly=True)


def named_tuple(kind: type, *fields: Any) -> Any:
    """Return the type of a named tuple whose fields have these types."""
    return _tuple_type(fields, kind)


def kernel(*arguments: Any) -> Callable[[Any], Any]:
    """Make a function a kernel, which `compile_kernels` compiles for arguments of these types."""

    def made(function: Any) -> Any:
        compiled = loop(function)
        compiled._cache = KernelCache(function.__name__)
        _kernels.append((compiled, types.void(*arguments)))
        return compiled

    return made


def compile_kernels(announce: Announce) -> Iterator[tuple[str, float]]:
    """Load every kernel, or compile it; yield its name and the seconds that it took.

    `announce` is called with a line before the first that has to be compiled, and with another
    if they cannot be kept.
    """
    announce_once = cache(announce)
    for compiled, signature in _kernels:
        started = time.perf_counter()
        if not compiled.overloads:
            compiled._cache.announce = announce_once
            compiled.compile(signature)
            compiled.disable_compile()  # other arguments are a mistake, not another kernel
        yield compiled.__name__, time.perf_counter() - started


class KernelCache(NullCache):
    """Where one kernel is kept between processes, in the form that Numba gives it."""

    COMPILING = "Compiling Harmony's kernels, once on this machine; it takes some seconds."
    NOT_KEPT = (
        "Harmony's kernels cannot be kept for the next time: "
        "set NUMBA_CACHE_DIR to a folder that can be written to."
    )

    def __init__(self, name: str) -> None:
        self._name = name
        self.announce: Announce = lambda line: None

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the kernel as it was compiled before, or None."""
        context.refresh()
        name = self._file(signature, context.codegen())
        for folder in cache_folders():
            with suppress(Exception):  # whatever is wrong with a file, compiling helps
                content = (folder / name).read_bytes()
                if hashlib.sha256(content[_DIGEST_BYTES:]).digest() == content[:_DIGEST_BYTES]:
                    return _rebuild(context, *pickle.loads(content[_DIGEST_BYTES:]))
        self.announce(self.COMPILING)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep a kernel in the first folder that can be written to, if there is one."""
        content = _dumps(result._reduce())
        name = self._file(signature, result.codegen)
        for folder in cache_folders():
            with suppress(OSError, HarmonyError):
                folder.mkdir(parents=True, exist_ok=True)
                write_whole(folder / name, hashlib.sha256(content).digest() + content)
                for old in folder.glob(f"{self._name}-*{SUFFIX}"):
                    if not old.name.startswith(f"{self._name}-{_sources()}-"):
                        old.unlink(missing_ok=True)
                return
        self.announce(self.NOT_KEPT)

    def _file(self, signature: Any, codegen: Any) -> str:
        made_by = signature, codegen.magic_tuple(), numba.__version__, sys.version
        return f"{self._name}-{_sources()}-{_digest(repr(made_by).encode())}{SUFFIX}"


def cache_folders() -> list[Path]:
    """Return where kernels are looked for; they are kept in the first that can be written to."""
    chosen, user = os.environ.get("NUMBA_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME")
    own = f"harmony-{_digest(str(_HERE).encode())}"
    folders = [Path(chosen, own)] if chosen else []
    folders.append(_HERE / "kernels" / "__pycache__")
    with suppress(RuntimeError):  # nobody is at home
        folders.append((Path(user) if user else Path.home() / ".cache") / own)
    return folders


@cache
def _sources() -> str:
    """Return a digest of all that the kernels are compiled from."""
    files = [_HERE / "fields.py", Path(__file__), *sorted((_HERE / "kernels").glob("*.py"))]
    return _digest(b"\0".join(file.read_bytes() for file in files))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
