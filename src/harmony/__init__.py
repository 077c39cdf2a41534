"""Harmony: statistics and models from people's devices, without ever seeing anyone's data.

>>> import harmony as hm
>>> survey = hm.Survey("phones", epsilon=1.0, attributes=[
...     hm.Numeric("battery", 0, 100), hm.Categorical("theme", ["light", "dark", "auto"])])
>>> tally = survey.collect({"battery": [40.0, 75.5], "theme": ["dark", "auto"]}, seed=7)
>>> survey.estimate(tally)["theme"].verdict
'too few reports to say'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

# Each public name is loaded when it is first used, so that the command line starts quickly.
_HOMES = {
    "attributes": ("Boolean", "Categorical", "Integer", "Numeric"),
    "errors": (
        "ClippedWarning",
        "DataError",
        "HarmonyError",
        "PrivacyError",
        "SurveyError",
        "TallyError",
    ),
    "mechanisms.audit": ("audit",),
    "plan": ("Plan",),
    "rounds": ("Round",),
    "survey": ("Survey",),
    "tally": ("Tally",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(f".{home}", __name__), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
