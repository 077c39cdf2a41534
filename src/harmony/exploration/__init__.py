"""Explorations: which strings are common, where nobody can list them.

An exploration is a sequence of surveys.  Each asks devices how their text goes on after prefixes
that many of them have, so every answer goes through the same codes and tables as any survey's,
and each device answers once in all steps.
"""

from typing import TYPE_CHECKING

from ..late_names import late_names

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

__getattr__, __dir__ = late_names(__name__, _HOMES)
