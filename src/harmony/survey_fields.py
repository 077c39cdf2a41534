"""The fields of a survey, each checked by itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harmony_device.protocol import LEAST_EPSILON, MAX_TIERS, MOST_EPSILON

from .errors import SurveyError
from .finite import is_finite

MECHANISMS = ("auto", "harmony")

MOST_DEVICES = (1 << 31) - 1
"""Of one training or exploration: as many as every database's integers count."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def checked_name(name: object) -> str:
    """Return a survey's name, or refuse it."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise SurveyError(
            "'name' must be 1 to 100 letters, digits, '.', '_' or '-', "
            "starting with a letter or digit"
        )
    return name


def checked_tiers(epsilon: object, tiers: object) -> tuple[float, ...]:
    """Return the epsilons that a survey offers, or refuse them."""
    if (epsilon is None) == (tiers is None):
        raise SurveyError("give either 'epsilon' or 'tiers'")
    if epsilon is not None:
        return (checked_epsilon(epsilon, "epsilon"),)
    if not isinstance(tiers, Sequence) or isinstance(tiers, str):
        raise SurveyError("'tiers' must be a list of epsilons")
    if not 1 <= len(tiers) <= MAX_TIERS:
        raise SurveyError(f"'tiers' must list between 1 and {MAX_TIERS} epsilons")
    checked = tuple(checked_epsilon(tier, "tiers") for tier in tiers)
    if len(set(checked)) != len(checked):
        raise SurveyError("'tiers' lists the same epsilon twice")
    return checked


def checked_epsilon(epsilon: object, field: str) -> float:
    """Return an epsilon as a number, or refuse it by the field's name."""
    if isinstance(epsilon, bool) or not isinstance(epsilon, int | float):
        raise SurveyError(f"'{field}' must be a number")
    if not is_finite(epsilon) or not LEAST_EPSILON <= epsilon <= MOST_EPSILON:
        raise SurveyError(
            f"'{field}' must lie between {LEAST_EPSILON:g} and {MOST_EPSILON:g}; "
            "0.1 is strong privacy, 1 is usual, above 8 protects little"
        )
    return float(epsilon)


def checked_devices(devices: object) -> int:
    """Return how many devices are to take part, or refuse it.

    >>> checked_devices(10**400)
    Traceback (most recent call last):
    harmony.errors.SurveyError: 'devices' must be an integer from 1 to 2,147,483,647: how many ...
    """
    if type(devices) is not int or not 1 <= devices <= MOST_DEVICES:
        raise SurveyError(
            f"'devices' must be an integer from 1 to {MOST_DEVICES:,}: how many will take part"
        )
    return devices


def checked_mechanism(mechanism: object) -> str:
    """Return the name of a mechanism, or refuse it."""
    if not isinstance(mechanism, str) or mechanism not in MECHANISMS:
        raise SurveyError(f"'mechanism' must be one of {', '.join(MECHANISMS)}")
    return mechanism


def checked_balance(balance: object, mechanism: str) -> bool:
    """Return whether attributes are balanced: unless told, those of our own mechanism are."""
    if balance is None:
        return mechanism == "auto"
    if not isinstance(balance, bool):
        raise SurveyError("'balance' must be true or false")
    return balance


def checked_answers(answers: object, attributes: int) -> int:
    """Return how many attributes a report answers, or refuse it."""
    if type(answers) is not int or not 1 <= answers <= attributes:
        raise SurveyError("'answers' must be an integer from 1 to the number of attributes")
    return answers
