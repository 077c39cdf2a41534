"""The one small exception tree.  Messages name the field and the fix, never a private value."""

from __future__ import annotations


class HarmonyError(Exception):
    """Anything Harmony raises on purpose."""


class SurveyError(HarmonyError, ValueError):
    """A survey, or a file that should hold one, is not usable."""


class PrivacyError(SurveyError):
    """A table does not keep its promised epsilon."""


class DataError(HarmonyError, ValueError):
    """A table of people's values does not fit its survey."""


class TallyError(HarmonyError, ValueError):
    """Reports or tallies do not belong together, or a tally file is damaged."""


class ClippedWarning(UserWarning):
    """Some numbers lay outside their attribute's range and were moved to its edge."""

    def __init__(self, attribute: str, clipped: int) -> None:
        super().__init__(f"{attribute}: {clipped} values lie outside its range and were clipped")
        self.attribute = attribute
        self.clipped = clipped


class PrivacyLeakWarning(UserWarning):
    """A domain was read off people's data instead of being declared: it tells about them."""


class FewDevicesWarning(UserWarning):
    """There are too few devices to learn much at this epsilon."""


class CoarseBinsWarning(UserWarning):
    """Nearly all devices lie in few of a number's bins, which hardly tell them apart."""


class RepeatedFitWarning(UserWarning):
    """The same rows were learned from before: every fit costs their devices one more epsilon."""
