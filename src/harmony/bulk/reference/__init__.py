"""The bulk path in NumPy: what the kernels do, integer for integer, with nothing to compile.

It works for tables too small to be worth loading the kernels for, and for everything until they
are there.  It is also what they are tested against.
"""

from .answer import answer_columns
from .coin import arrange, assign
from .count import locate, spread

__all__ = ["answer_columns", "arrange", "assign", "locate", "spread"]
