"""Mechanisms over several rounds: what others do, what ours costs and sees."""

from .chained import Chained, Support
from .hashed import LGrr, Loloha
from .histories import Worst, enumerate_histories
from .remembering import Remembering
from .unary import DBitFlip, LOsue, Rappor
from .year import Seen, ask_a_year

__all__ = [
    "Chained",
    "DBitFlip",
    "LGrr",
    "LOsue",
    "Loloha",
    "Rappor",
    "Remembering",
    "Seen",
    "Support",
    "Worst",
    "ask_a_year",
    "enumerate_histories",
]
