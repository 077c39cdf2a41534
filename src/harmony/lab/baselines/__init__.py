"""The paper's baselines and modern references: each faithful to its source, each checked alike."""

from .base import Baseline, FiniteBaseline
from .bassily_smith import BassilySmith
from .binary import BinaryMechanism
from .duchi import Duchi
from .harmony_numeric import HarmonyNumeric
from .hybrid import Hybrid
from .hybrid_mechanism import HybridMechanism
from .joint import Association, Joint, association, joint_distribution
from .kary import KaryResponse
from .laplace import Laplace
from .local_hashing import LocalHashing
from .mixed import HarmonyMixed
from .orthogonal import HarmonyCategorical
from .piecewise import Piecewise
from .rappor import Rappor
from .rappor_decode import Detected, detect
from .subset import SubsetSelection
from .unary import UnaryEncoding
from .warner import Warner

__all__ = [
    "Association",
    "Baseline",
    "BassilySmith",
    "BinaryMechanism",
    "Detected",
    "Duchi",
    "FiniteBaseline",
    "HarmonyCategorical",
    "HarmonyMixed",
    "HarmonyNumeric",
    "Hybrid",
    "HybridMechanism",
    "Joint",
    "KaryResponse",
    "Laplace",
    "LocalHashing",
    "Piecewise",
    "Rappor",
    "SubsetSelection",
    "UnaryEncoding",
    "Warner",
    "association",
    "detect",
    "joint_distribution",
]
