"""Mechanisms: codes, tables, their optimisers and the exact audit."""

from .grid import Grid
from .linear import Linear

Mechanism = Grid | Linear

__all__ = ["Grid", "Linear", "Mechanism"]
