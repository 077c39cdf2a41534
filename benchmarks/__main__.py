"""Run benchmarks: `python -m benchmarks [name ...] [--tiny]`; without names, all of them.

`--tiny` runs each at a size that only shows that it works; its figures mean nothing.
"""

from __future__ import annotations

import argparse
import importlib

NAMES = ("optimality", "first_use", "collect", "scale", "peers", "device", "service", "learning")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(NAMES))
    parser.add_argument("--tiny", action="store_true", help="only show that they work")
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - set(NAMES):
        parser.error(f"unknown benchmark {min(unknown)!r}; choose from {', '.join(NAMES)}")
    for name in chosen.names or NAMES:
        importlib.import_module(f"benchmarks.{name}").run(tiny=chosen.tiny)


if __name__ == "__main__":
    main()
