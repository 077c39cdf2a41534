"""The report: the device's id, its tier and its randomised symbols, in a fixed number of bytes.

    values --read--> answers        every attribute, before the coin is looked at
    coin   --ask-->  attribute, row public: the server knows it as well
    answer --code--> index --table--> symbol, with 16 fresh random bytes for each answer

Privacy: the symbols are all that depends on the values.  Their number, the bytes each takes
and the random bytes drawn depend on the survey alone.
"""

from __future__ import annotations

from .coins import assign

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .record import Values
    from .survey import Survey

RANDOM_BYTES = 16
"""Drawn for each answer: a word to round with and a word to walk the table with."""


def make_report(
    survey: Survey,
    round_seed: bytes,
    device_id: bytes,
    tier: int,
    values: Values,
    random_bytes: Callable[[int], bytes],
) -> bytes:
    """Return the report of a device with these `values`.

    `random_bytes` must be `os.urandom` unless a test vector fixes it.  Calling this twice for
    one round spends epsilon twice: `Device` makes sure that it never happens.

    >>> from harmony_device import Survey
    >>> survey = Survey({"format": "harmony-survey/1", "name": "phones", "epsilon": 1.1,
    ...     "answers": 1, "tables": [{"kind": "circulant", "counts": [3 << 51, 1 << 51]}],
    ...     "attributes": [{"name": "wifi", "kind": "categorical", "values": [False, True],
    ...         "coin": 1, "mechanisms": [{"code": "linear", "base": 2, "digits": 1,
    ...                                    "multipliers": [1], "table": 0}]}]})
    >>> make_report(survey, bytes(16), b"sixteen byte id.", 0, {"wifi": True}, bytes).hex()
    '7369787465656e20627974652069642e0001'
    """
    answers = survey.read(values)
    asked = ask(survey, round_seed, device_id, tier)
    return randomise(survey, device_id, tier, answers, asked, random_bytes)


def ask(survey: Survey, round_seed: bytes, device_id: bytes, tier: int) -> list[tuple[int, int]]:
    """Return the (attribute, row) pairs that the round's public coin asks of this device."""
    if not 0 <= tier < len(survey.tiers):
        raise ValueError("'tier' must be the place of one of the survey's tiers")
    return assign(round_seed, device_id, survey.weights, survey.rows[tier], survey.answers)


def randomise(
    survey: Survey,
    device_id: bytes,
    tier: int,
    answers: Sequence[Any],
    asked: Sequence[tuple[int, int]],
    random_bytes: Callable[[int], bytes],
) -> bytes:
    """Return the report for `answers` that `Survey.read` returned, to what `ask` returned."""
    mechanisms = survey.mechanisms[tier]
    words = iter(survey.words_layout.unpack(random_bytes(RANDOM_BYTES * len(asked))))
    symbols = [
        mechanisms[attribute].symbol(answers[attribute], row, round_word, table_word)
        for (attribute, row), round_word, table_word in zip(asked, words, words)
    ]
    return survey.report_layout.pack(device_id, tier, *symbols)
