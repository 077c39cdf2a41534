"""The schedule: how many steps, how many devices each, and from when on something is kept.

A step tells about 2^20 places apart, so the first one looks at 20 bits of every text, and each of
the next as many bits further as the prefixes that are kept leave room for.  How many places
there are hardly matters to the noise of one (the code is linear), so few, wide steps are best: each
step must be passed, and a text that f of n devices have stands out of the noise by
z = f * sqrt(n / V), V the variance of one answer about a place that nobody has.

A prefix is kept from a threshold on that so many places of noise pass as there is room to keep.  A
string is found if all evidence about it together passes a threshold that fewer than `mistakes`
strings that nobody has do.  A step's share of the devices is proportional to the square of what it
asks for: its threshold, and the same margin for all.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property

from scipy.stats import norm

from .definition import Exploration
from .step import SEARCH, Step

PLACES = 1 << 20
"""Places that a step tells apart, about."""

LEAST_KEPT = 64
"""Prefixes that a step may keep."""

NOISE_KEPT = 0.75
"""The share of them that noise is thought to take."""

FINAL_SHARE = 0.25
"""What the last step takes of the devices that test whole strings."""

DOUBTFUL = 4
"""Prefixes in the last search that are likely, but not explained by a string that was found."""

LOOKED_AT = 2.3
"""Places that stand out by fewer standard deviations are not decoded."""

MOST_STRINGS = 384
"""Whole strings that are kept while others are searched for, if a document has room for them."""

MOST_DOCUMENT_BYTES = 64_000
ROUND_BYTES = 500
"""What a round adds to a step's document, and a table that is a little longer than thought."""

CHANCE = 0.9
"""With this chance a string is found that is as common as the plan says."""


@dataclass(frozen=True)
class Schedule:
    """What n, epsilon and the length of texts make of an exploration.

    >>> from harmony.text import Text, TextCode
    >>> text = Text("word", code=TextCode.uniform("abcdefgh"))
    >>> schedule = Schedule(Exploration("words", text, 2.0, devices=1_000_000))
    >>> schedule.searches, schedule.keep, [round(one, 2) for one in schedule.shares]
    (3, 64, [0.3, 0.3, 0.3, 0.1])
    """

    exploration: Exploration

    @cached_property
    def keep(self) -> int:
        """How many prefixes a step may keep."""
        room = 1 << (self.exploration.wanted - 1).bit_length()
        return max(room, LEAST_KEPT)

    @property
    def counted(self) -> int:
        """How many strings the last step counts, at most."""
        return 2 * self.keep

    @property
    def first_bits(self) -> int:
        """The bits of a text that the first step looks at."""
        return min(self.exploration.text.bits, PLACES.bit_length() - 1)

    def more_bits(self, kept: int, depth: int) -> int:
        """Return how many bits further a step looks, after so many prefixes of so many bits."""
        return min((PLACES // kept).bit_length() - 1, self.exploration.text.bits - depth)

    def depth(self, search: int) -> int:
        """Return how many bits of a text are looked at once so many searches are done, and one."""
        deep = self.first_bits + search * self.more_bits(self.keep, 0)
        return min(deep, self.exploration.text.bits)

    @cached_property
    def searches(self) -> int:
        """How many steps extend prefixes, at most; one more counts the strings."""
        further = self.exploration.text.bits - self.first_bits
        return 1 + -(-further // self.more_bits(self.keep, 0))

    @cached_property
    def keep_threshold(self) -> float:
        """From so many standard deviations on a prefix is kept."""
        return float(norm.isf(NOISE_KEPT * self.keep / PLACES))

    @cached_property
    def tested(self) -> float:
        """How many strings are tested, about: those that may end in the first search, and later
        those under the few prefixes that are neither certain nor explained by what was found."""
        text = self.exploration.text
        short = text.code.strings_within("", self.first_bits)
        return short + DOUBTFUL * 2.0 ** self.more_bits(self.keep, 0)

    @cached_property
    def most_strings(self) -> int:
        """How many whole strings are kept while others are searched for.

        A step's document stays below 64 kB: large tables (of a large epsilon) and many
        prefixes leave less room.
        """
        if self.searches == 1:
            return MOST_STRINGS
        length, more = self.exploration.text.bits, self.more_bits(self.keep, 0)
        prefixes = [format(number, f"0{length - more}b") for number in range(self.keep)]
        step = Step(self.exploration, self.searches, SEARCH, prefixes, more, [], devices=1)
        size = len(json.dumps(step.to_document(), separators=(",", ":")).encode())
        room = (MOST_DOCUMENT_BYTES - ROUND_BYTES - size) // (length + len('"",'))
        return min(MOST_STRINGS, max(room, self.exploration.wanted // 2))

    @property
    def string_threshold(self) -> float:
        """From so many standard deviations on a string is kept until the last step."""
        return max(LOOKED_AT, float(norm.isf(min(0.5, self.most_strings / PLACES))))

    def found_threshold(self, tested: float, chance: float = 1.0) -> float:
        """From so many on a string is found, if so many were tested, weighted by their chance."""
        share = chance / max(tested, chance)
        return float(norm.isf(min(0.25, self.exploration.mistakes * share)))

    @cached_property
    def shares(self) -> list[float]:
        """The share of the devices that each search takes, and the last step."""
        margin = float(norm.ppf(CHANCE ** (1 / self.searches)))
        needs = [(self.keep_threshold + margin) ** 2] * (self.searches - 1)
        whole = (self.found_threshold(self.tested) + margin) ** 2
        needs += [whole * (1 - FINAL_SHARE), whole * FINAL_SHARE]
        return [need / math.fsum(needs) for need in needs]

    def devices(self, search: int) -> int:
        """Return how many devices a search wants; the last step takes all that are left."""
        return max(1, round(self.shares[search] * self.exploration.devices))
