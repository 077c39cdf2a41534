"""Harmony: statistics and models from people's devices, without ever seeing anyone's data.

>>> import harmony as hm
>>> survey = hm.Survey("phones", epsilon=1.0, attributes=[
...     hm.Numeric("battery", 0, 100), hm.Categorical("theme", ["light", "dark", "auto"])])
>>> tally = survey.collect({"battery": [40.0, 75.5], "theme": ["dark", "auto"]}, seed=7)
>>> survey.estimate(tally)["theme"].verdict
'too few reports to say'
"""

from .attributes import Boolean, Categorical, Integer, Numeric
from .errors import (
    ClippedWarning,
    DataError,
    HarmonyError,
    PrivacyError,
    SurveyError,
    TallyError,
)
from .mechanisms.audit import audit
from .plan import Plan
from .rounds import Round
from .survey import Survey
from .tally import Tally

__version__ = "0.1.0"

__all__ = [
    "Boolean",
    "Categorical",
    "ClippedWarning",
    "DataError",
    "HarmonyError",
    "Integer",
    "Numeric",
    "Plan",
    "PrivacyError",
    "Round",
    "Survey",
    "SurveyError",
    "Tally",
    "TallyError",
    "audit",
]
