"""Published ways to ask for distributions and joint tables, to compare Harmony's with."""

from .covers import best_cover, joint_tables
from .fourier import fourier_tables
from .square_wave import SquareWave

__all__ = ["SquareWave", "best_cover", "fourier_tables", "joint_tables"]
