"""docs/benchmarks.md: each benchmark writes its own section and leaves the others alone."""

from __future__ import annotations

import os
import platform
import re
from datetime import UTC, datetime
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
HEAD = """\
# Benchmarks

Written by the benchmarks themselves: `make bench` runs all of them, and
`.venv/bin/python -m benchmarks NAME` one. Ratios are taken within one run, interleaved, as medians
over rounds; absolute times belong to the machine and to what else it was doing. `--tiny` runs them
at a size that only shows that they work, and writes nothing.
"""


def write_section(name: str, title: str, body: str, path: Path = PAGE) -> None:
    """Put a section into the page, in place of the one it had."""
    stamp = f"Measured {datetime.now(UTC):%Y-%m-%d} on {os.cpu_count()} cores, {_processor()}, "
    stamp += f"Python {platform.python_version()}."
    section = f"<!-- {name} -->\n## {title}\n\n{stamp}\n\n{body.strip()}\n<!-- end {name} -->\n"
    page = path.read_text(encoding="utf-8") if path.exists() else HEAD
    found = re.compile(rf"<!-- {name} -->.*?<!-- end {name} -->\n", re.S)
    page = found.sub(lambda _: section, page) if found.search(page) else f"{page}\n{section}"
    path.write_text(page, encoding="utf-8")


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()
