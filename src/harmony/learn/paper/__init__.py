"""The paper's own methods for empirical risk minimisation (section 4), as baselines.

They simulate devices in bulk with a NumPy generator: they are for experiments, not for anyone's
real values.
"""

from .descent import NOISES, HistoryEntry, batch_size
from .design_matrix import DesignMatrix
from .fitting import METHODS, fit
from .hindsight import STEPS, Hindsight, best_in_hindsight
from .losses import LOSSES, error

__all__ = [
    "LOSSES",
    "METHODS",
    "NOISES",
    "STEPS",
    "DesignMatrix",
    "Hindsight",
    "HistoryEntry",
    "batch_size",
    "best_in_hindsight",
    "error",
    "fit",
]
