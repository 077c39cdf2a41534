"""Harmony: statistics and models from people's devices, without ever seeing anyone's data.

>>> import harmony as hm
>>> survey = hm.Survey("phones", epsilon=1.0, attributes=[
...     hm.Numeric("battery", 0, 100), hm.Categorical("theme", ["light", "dark", "auto"])])
>>> tally = survey.collect({"battery": [40.0, 75.5], "theme": ["dark", "auto"]}, seed=7)
>>> survey.estimate(tally)["theme"].verdict
'too few reports to say'
"""

import importlib as _importlib
import typing as _typing

if _typing.TYPE_CHECKING:
    from . import datasets
    from .attributes import Boolean, Categorical, Integer, Numeric
    from .crosstab import Crosstab
    from .distribution import Distribution
    from .errors import (
        ClippedWarning,
        DataError,
        HarmonyError,
        PrivacyError,
        PrivacyLeakWarning,
        SurveyError,
        TallyError,
    )
    from .estimate import Comparison, HistogramEstimate, MeanEstimate, Result
    from .estimate.compare import compare
    from .exploration import Exploration, explore
    from .mechanisms.audit import audit
    from .plan import Plan
    from .rounds import Round
    from .survey import Survey
    from .tally import Tally
    from .text import Text
    from .text_code import TextCode

__version__ = "0.1.0"

__all__ = [
    "Boolean",
    "Categorical",
    "ClippedWarning",
    "Comparison",
    "Crosstab",
    "DataError",
    "Distribution",
    "Exploration",
    "HarmonyError",
    "HistogramEstimate",
    "Integer",
    "MeanEstimate",
    "Numeric",
    "Plan",
    "PrivacyError",
    "PrivacyLeakWarning",
    "Result",
    "Round",
    "Survey",
    "SurveyError",
    "Tally",
    "TallyError",
    "Text",
    "TextCode",
    "audit",
    "compare",
    "datasets",
    "explore",
]

# Each public name is loaded when it is first used, so that the command line starts quickly.
_HOMES = {
    "attributes": ("Boolean", "Categorical", "Integer", "Numeric"),
    "crosstab": ("Crosstab",),
    "distribution": ("Distribution",),
    "errors": (
        "ClippedWarning",
        "DataError",
        "HarmonyError",
        "PrivacyError",
        "PrivacyLeakWarning",
        "SurveyError",
        "TallyError",
    ),
    "estimate": (
        "Comparison",
        "CrosstabEstimate",
        "DistributionEstimate",
        "HistogramEstimate",
        "MeanEstimate",
        "Result",
    ),
    "estimate.compare": ("compare",),
    "exploration": ("Exploration", "explore"),
    "mechanisms.audit": ("audit",),
    "plan": ("Plan",),
    "rounds": ("Round",),
    "survey": ("Survey",),
    "tally": ("Tally",),
    "text": ("Text",),
    "text_code": ("TextCode",),
}


_MODULES = ("datasets",)


def __getattr__(name: str) -> _typing.Any:
    if name in _MODULES:
        return _importlib.import_module(f".{name}", __name__)
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(_importlib.import_module(f".{home}", __name__), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names alone: what people who press tab are looking for."""
    return sorted([*__all__, "__version__"])
