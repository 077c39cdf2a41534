"""An exploration: which texts are to be found, from how many devices and at which epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import SurveyError
from ..survey_fields import checked_devices, checked_epsilon, checked_name
from ..text import Text
from .never_shown import COMMON_PATTERNS, checked_patterns

if TYPE_CHECKING:
    from .planning import ExplorationPlan

WANTED, MOST_WANTED = 32, 256
MISTAKES = 0.1
"""How many strings that nobody has may be found, on average."""

_FIELDS = {"name", "epsilon", "text", "devices", "wanted", "mistakes", "never"}


@dataclass(frozen=True)
class Exploration:
    """A text whose common values nobody listed, an epsilon, and a number of devices.

    At most `wanted` strings are shown.  On average no more than `mistakes` of them are held by
    nobody.  Strings in which one of the patterns `never` is found are never shown.  Each
    device answers once, at `epsilon`.

    >>> pages = Exploration("home-pages", Text("home page"), 2.0, devices=1_000_000)
    >>> Exploration.from_document(pages.to_document()) == pages
    True
    """

    name: str
    text: Text
    epsilon: float
    devices: int
    wanted: int = WANTED
    mistakes: float = MISTAKES
    never: Sequence[str] = COMMON_PATTERNS

    def __post_init__(self) -> None:
        checked_name(self.name)
        if not isinstance(self.text, Text):
            raise SurveyError("'text' must be a Text")
        object.__setattr__(self, "epsilon", checked_epsilon(self.epsilon, "epsilon"))
        checked_devices(self.devices)
        if type(self.wanted) is not int or not 1 <= self.wanted <= MOST_WANTED:
            raise SurveyError(f"'wanted' must be an integer from 1 to {MOST_WANTED}")
        mistakes = self.mistakes
        if isinstance(mistakes, bool) or not isinstance(mistakes, int | float):
            raise SurveyError("'mistakes' must be a number")
        if not 1e-6 <= mistakes <= self.wanted:
            raise SurveyError("'mistakes' must be between 0.000001 and 'wanted'")
        object.__setattr__(self, "mistakes", float(mistakes))
        object.__setattr__(self, "never", checked_patterns(self.never))

    def plan(self, chance: float = 0.9) -> ExplorationPlan:
        """Say, before any device is asked, how common a string must be to be found.

        >>> Exploration("pages", Text("page"), 2.0, devices=100_000).plan().share < 0.03
        True
        """
        from .planning import plan

        return plan(self, chance)

    def chance(self, share: float) -> float:
        """Return the chance that a string is found which this share of the devices has.

        It is that of a short string; longer ones are found more seldom.  Of a million devices
        at epsilon 2, one alone moves it by less than a hundredth of itself:

        >>> pages = Exploration("pages", Text("page"), 2.0, devices=1_000_000)
        >>> [f"{pages.chance(people / 1_000_000):.1g}" for people in (0, 1, 100, 1_000, 9_000)]
        ['2e-07', '2e-07', '3e-07', '3e-05', '1']
        """
        from .planning import greatest_chance

        return greatest_chance(self, share)

    def to_document(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "epsilon": self.epsilon,
            "text": self.text.to_document(),
            "devices": self.devices,
            "wanted": self.wanted,
            "mistakes": self.mistakes,
            "never": list(self.never),
        }

    @classmethod
    def from_document(cls, document: Any) -> Exploration:
        """Read an exploration as a person writes it, or as it was sent."""
        if not isinstance(document, dict):
            raise SurveyError("an exploration must be a mapping with 'name', 'text' and 'epsilon'")
        if lost := {"name", "epsilon", "text", "devices"} - document.keys():
            raise SurveyError(f"'{min(lost)}' is missing")
        if unknown := document.keys() - _FIELDS:
            raise SurveyError(f"unknown field '{min(map(str, unknown))}'")
        text = document["text"]
        if isinstance(text, str):
            text = {"name": text}
        return cls(**document | {"text": Text.from_document(text)})
