"""Mechanisms: codes, tables, their optimisers and the exact audit."""

from .grid import Grid
from .linear import Linear
from .signed import SignedLinear

Mechanism = Grid | Linear | SignedLinear

__all__ = ["Grid", "Linear", "Mechanism", "SignedLinear"]
