"""Sets the examples of docstrings as code: Markdown would take `>>>` for a quotation."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Any

from griffe import Extension, Object

_BRACKETS = re.compile(r"(?<=\])\[(?=\w)")
_EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.M)


class FencedExamples(Extension):
    """Fences every block of lines that begins with a prompt, up to the next blank line."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of anything that has one."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """Return a docstring whose examples are fenced; `a[b][c]` in its prose is no link."""
    prose = _EXAMPLE.split(text)
    examples = [f"\n```pycon\n{one}\n```\n" for one in _EXAMPLE.findall(text)]
    parts = [_BRACKETS.sub(r"\\[", part) for part in prose]
    return "".join(part + code for part, code in zip_longest(parts, examples, fillvalue=""))
