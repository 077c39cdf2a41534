"""The report: the device's id, its tier and its randomised symbols, in a fixed number of bytes.

    values --read--> answers        every attribute, before the coin is looked at
    coin   --ask-->  attribute, row public: the server knows it as well
    answer --code--> index --table--> symbol, with 16 fresh random bytes for each answer

In a survey with memory the code's and the table's words are the memo's, and a second table keeps
the symbol or replaces it, with fresh bytes: index --memo--> kept symbol --replace--> symbol.

Privacy: the symbols are all that depends on the values.  Their number, the bytes each takes
and the random bytes drawn depend on the survey alone.
"""

from __future__ import annotations

from .coins import assign

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from .mechanisms import Mechanism
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
    memo: Sequence[int] | None = None,
) -> bytes:
    """Return the report of a device with these `values`.

    `memo` is what the device keeps for a survey with memory: see `memo_words`.

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
    return randomise(survey, device_id, tier, answers, asked, random_bytes, memo)


def ask(survey: Survey, round_seed: bytes, device_id: bytes, tier: int) -> list[tuple[int, int]]:
    """Return the (attribute, row) pairs that the round's public coin asks of this device."""
    if not 0 <= tier < len(survey.tiers):
        raise ValueError("'tier' must be the place of one of the survey's tiers")
    seed = survey.coin_seed(round_seed)
    return assign(seed, device_id, survey.weights, survey.rows[tier], survey.answers)


def memo_words(survey: Survey, asked: Sequence[tuple[int, int]]) -> int:
    """Return how many random words a device keeps for what a survey with memory asks of it.

    One to round with, and one for each index: the same whatever the values are.
    """
    return sum(1 + survey.mechanisms[0][attribute].table.inputs for attribute, _ in asked)


def randomise(
    survey: Survey,
    device_id: bytes,
    tier: int,
    answers: Sequence[Any],
    asked: Sequence[tuple[int, int]],
    random_bytes: Callable[[int], bytes],
    memo: Sequence[int] | None = None,
) -> bytes:
    """Return the report for `answers` that `Survey.read` returned, to what `ask` returned."""
    mechanisms = survey.mechanisms[tier]
    words = iter(survey.words_layout.unpack(random_bytes(RANDOM_BYTES * len(asked))))
    if survey.memory is not None:
        symbols = _remembered(mechanisms, answers, asked, words, memo)
        return survey.report_layout.pack(device_id, tier, *symbols)
    symbols = [
        mechanisms[attribute].symbol(answers[attribute], row, round_word, table_word)
        for (attribute, row), round_word, table_word in zip(asked, words, words)
    ]
    return survey.report_layout.pack(device_id, tier, *symbols)


def _remembered(
    mechanisms: Sequence[Mechanism],
    answers: Sequence[Any],
    asked: Sequence[tuple[int, int]],
    words: Iterator[int],
    memo: Sequence[int] | None,
) -> list[int]:
    """Return the symbols of a survey with memory: what is kept for the index, or replaced.

    The word that rounds, or that draws an index for who has no answer, is the memo's: so is the
    index that it leads to.  The round's own is drawn all the same, and not used.
    """
    if memo is None:
        raise ValueError("a survey with memory needs the device's memo")
    symbols, start = [], 0
    for (attribute, row), _, table_word in zip(asked, words, words):
        one = mechanisms[attribute]
        index = one.index(answers[attribute], row, memo[start])
        kept = one.table.walk(index, memo[start + 1 + index] >> 11)
        symbols.append(one.replace.walk(kept, table_word >> 11))  # type: ignore[union-attr]
        start += 1 + one.table.inputs
    return symbols
