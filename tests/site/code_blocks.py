"""Runs the Python of a page, block after block, and holds its output to what the page shows.

A block of `text` right after a block of `python` is what that one prints; as in a notebook, the
value of a last expression is shown, too.  `...` stands for anything.

    python -m tests.site.code_blocks        writes every page's outputs anew
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

_BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.M | re.S)
_TITLE = re.compile(r'title="([^"]+)"')
_CHECKER = doctest.OutputChecker()


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: its language, the file that it names, its text and its place."""

    language: str
    title: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Example:
    """A block of Python, and the output that follows it, if the page shows one."""

    code: Block
    shown: Block | None


def blocks_of(text: str) -> list[Block]:
    """Return the fenced blocks of a page, in their order."""
    blocks = []
    for found in _BLOCK.finditer(text):
        language, attributes, content = found.groups()
        title = _TITLE.search(attributes)
        blocks.append(Block(language, title[1] if title else "", content, *found.span()))
    return blocks


def examples_of(text: str) -> list[Example]:
    """Return the blocks of Python that are to be run, those that are files left out."""
    blocks = blocks_of(text)
    examples = []
    for place, block in enumerate(blocks):
        if block.language != "python" or block.title:
            continue
        after = blocks[place + 1] if place + 1 < len(blocks) else None
        between = text[block.end : after.start] if after else ""
        follows = after is not None and after.language == "text" and not between.strip()
        examples.append(Example(block, after if follows else None))
    return examples


def run(code: str, names: dict[str, Any]) -> str:
    """Run code as a notebook's cell, and return what it shows."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(tree, "<page>", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<page>", "eval"), names)
            if value is not None:
                output.write(f"{value!r}\n")
    return "".join(f"{line.rstrip()}\n" for line in output.getvalue().splitlines())


def agrees(shown: str, given: str) -> bool:
    """Whether an output is as the page shows it."""
    return _CHECKER.check_output(shown, given, doctest.ELLIPSIS)


def rewritten(text: str) -> str:
    """Return a page with the outputs that its code gives now; those with `...` stay if right."""
    names: dict[str, Any] = {}
    pieces, last = [], 0
    for example in examples_of(text):
        if needs_server(example):
            continue
        given = run(example.code.text, names)
        shown = example.shown
        if shown is None or agrees(shown.text, given):
            continue
        pieces += [text[last : shown.start], f"```text\n{given}```"]
        last = shown.end
    return "".join([*pieces, text[last:]])


def needs_server(example: Example) -> bool:
    """Whether an example talks to a server on this machine: its own test runs it."""
    return "localhost:8000" in example.code.text


def pages() -> list[Path]:
    """Return the pages whose code runs."""
    docs = ROOT / "docs"
    return [
        ROOT / "README.md",
        docs / "index.md",
        docs / "explorations.md",
        docs / "learning.md",
        docs / "is-this-for-me.md",
        *sorted((docs / "tutorials").glob("*.md")),
        *sorted((docs / "how-to").glob("*.md")),
        *sorted((docs / "explanation").glob("*.md")),
    ]


if __name__ == "__main__":
    chosen = [Path(one) for one in sys.argv[1:]] or pages()
    for page in chosen:
        page.write_text(rewritten(page.read_text(encoding="utf-8")), encoding="utf-8")
