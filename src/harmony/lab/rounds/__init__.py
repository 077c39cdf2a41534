"""Mechanisms over several rounds: what others do, what ours costs and sees."""

from .chained import Chained, Support
from .hashed import LGrr, Loloha
from .histories import Worst, enumerate_histories
from .remembering import Remembering
from .unary import DBitFlip, LOsue, Rappor

__all__ = [
    "Chained",
    "DBitFlip",
    "LGrr",
    "LOsue",
    "Loloha",
    "Rappor",
    "Remembering",
    "Support",
    "Worst",
    "enumerate_histories",
]
