"""Explorations: which strings are common, where nobody can list them.

An exploration is a sequence of surveys.  Each asks devices how their text goes on after prefixes
that many of them have, so every answer goes through the same codes and tables as any survey's,
and each device answers once in all steps.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .collecting import explore
    from .definition import Exploration
    from .explorer import Explorer
    from .findings import Findings, Found
    from .planning import ExplorationPlan
    from .step import Step

__all__ = ["Exploration", "ExplorationPlan", "Explorer", "Findings", "Found", "Step", "explore"]

_HOMES = {
    "Exploration": "definition",
    "ExplorationPlan": "planning",
    "Explorer": "explorer",
    "Findings": "findings",
    "Found": "findings",
    "Step": "step",
    "explore": "collecting",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
