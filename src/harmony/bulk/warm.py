"""Compiling the kernels ahead of their first use: `python -m harmony.bulk.warm`.

For installations and images, so that nobody waits for it later.  A server calls
`backend.load_in_background` when it starts instead.
"""

from __future__ import annotations

import sys

from .jit import compile_kernels


def main() -> None:
    """Compile every kernel, and say how long each took."""
    from . import kernels  # noqa: F401  # names what there is to compile

    def say(line: str) -> None:
        sys.stdout.write(f"{line}\n")

    for name, seconds in compile_kernels(say):
        say(f"{name:<10} {seconds:6.2f} s")


if __name__ == "__main__":
    main()
