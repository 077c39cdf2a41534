"""Run benchmarks: `python -m benchmarks [name ...] [--tiny]`; without names, all of them.

`--tiny` runs each at a size that only shows that it works; its figures mean nothing.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil

import benchmarks


def main() -> None:
    names = [
        module.name
        for module in pkgutil.iter_modules(benchmarks.__path__)
        if hasattr(importlib.import_module(f"benchmarks.{module.name}"), "run")
    ]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*names, []], help=", ".join(names))
    parser.add_argument("--tiny", action="store_true", help="only show that they work")
    chosen = parser.parse_args()
    for name in chosen.names or names:
        importlib.import_module(f"benchmarks.{name}").run(tiny=chosen.tiny)


if __name__ == "__main__":
    main()
