"""Confirmation: what cannot be undone is shown with its name before it is done.

A form that does such a thing carries the name in `confirm`.  One that does not is answered with a
page that says what would happen; where something is deleted, the name has to be typed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fastapi import Request, Response

from .access import Form
from .access import field as value_of
from .rendering import page
from .sessions import Visitor


@dataclass(frozen=True)
class Irreversible:
    """Something that cannot be undone, and what to say before it is done."""

    title: str
    name: str
    """The name of what it is done to."""
    consequences: Sequence[str]
    button: str
    back: str
    typed: bool = False
    """Whether the name has to be typed."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """What else the form carries."""

    def is_confirmed(self, form: Form) -> bool:
        """Whether a form names what this is done to."""
        return value_of(form, "confirm") == self.name

    def ask(self, request: Request, visitor: Visitor, form: Form) -> Response:
        """Show what would happen, and the form that does it."""
        mistaken = self.typed and value_of(form, "confirm") != ""
        status = 422 if mistaken else 200
        return page(
            request, "confirm.html", visitor=visitor, status=status, act=self, mistaken=mistaken
        )
