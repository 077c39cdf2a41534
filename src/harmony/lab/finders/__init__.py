"""Published ways to find strings that nobody listed, to compare explorations with."""

from .crowd import Crowd, Found
from .explored import Explored
from .fragments import FragmentPuzzle
from .ngrams import NGrams
from .prefixes import PrefixExtending
from .tree import TreeHistogram

__all__ = [
    "Crowd",
    "Explored",
    "Found",
    "FragmentPuzzle",
    "NGrams",
    "PrefixExtending",
    "TreeHistogram",
]
