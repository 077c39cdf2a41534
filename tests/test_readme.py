"""The README's example gives the output that the README shows."""

from __future__ import annotations

import re
from pathlib import Path

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def test_the_example_prints_what_the_readme_says(capsys) -> None:
    example, shown = re.search(r"```python\n(.*?)```\n\n((?:    [^\n]*\n)+)", README, re.S).groups()
    names: dict = {}
    exec(example, names)
    expected = [line.removeprefix("    ").rstrip() for line in shown.splitlines()]
    assert capsys.readouterr().out.splitlines() == expected
    truth = re.search(r"The truth is a mean of ([\d.]+)", README)[1]
    assert f"{names['battery'].mean():.2f}" == truth


def test_the_one_liners_after_it_work() -> None:
    first, lines, *_ = re.findall(r"```python\n(.*?)```", README, re.S)
    names: dict = {}
    exec(first.replace("1_000_000", "1_000"), names)
    exec(lines, names)
