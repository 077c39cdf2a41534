"""Text codes: how a text is spelled in bits, common ones shortly, and what bits spell.

`harmony_device.text` is the code as devices use it; here it is made, read backwards and counted.
"""

from __future__ import annotations

import heapq
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple

from harmony_device import text as device
from harmony_device.errors import RefusedError
from harmony_device.protocol import MAX_WORD
from harmony_device.text import END, ESCAPE, POINT_BITS, START

from .errors import SurveyError

ORDER = 2
"""The most characters that a fitted context looks back."""

CONTEXTS = 96
"""Contexts that a fitted code has by default: some eight kilobytes of every step's document."""

RARE = 1 / 512
"""A context lists the characters that are at least so likely in it; the others are escaped."""

FLATTENED = 0.75
"""Texts count with this power of their frequency: what is to be found is not the most common."""


class Spelled(NamedTuple):
    """What bits spell: a text so far, whether it ends there, and bits that spell nothing yet."""

    text: str
    complete: bool
    rest: str


NOTHING = Spelled("", False, "")


class TextCode:
    """A public prefix code for texts: likely characters, after those before them, are short.

    >>> code = TextCode.fit(["example.org", "example.com"])
    >>> bits = code.bits("Example.com", 48)
    >>> code.spelled(bits), code.size("example.com") < code.size("www.gnu.org")
    (Spelled(text='example.com', complete=True, rest='000...'), True)
    """

    def __init__(self, contexts: Mapping[str, Sequence[str]]) -> None:
        self.contexts = {context: list(lists) for context, lists in contexts.items()}
        try:
            self._code = device.TextCode(self.contexts)
        except RefusedError as problem:
            raise SurveyError(str(problem)) from None
        self._readers = {
            context: {word: one for one, word in words.items()}
            for context, words in self._code.words.items()
        }

    @classmethod
    def fit(
        cls,
        texts: Iterable[str] | Mapping[str, float],
        contexts: int = CONTEXTS,
        order: int = ORDER,
    ) -> TextCode:
        """Make the code of a public list of texts, or of texts with their frequencies.

        It must be public: devices get it, and what it was made of can be told from it.
        """
        weights = texts if isinstance(texts, Mapping) else dict.fromkeys(texts, 1.0)
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for text, weight in weights.items():
            whole = START + device.normalized(text, len(text)) + END
            for place in range(1, len(whole)):
                for back in range(min(order, place) + 1):
                    counts[whole[place - back : place]][whole[place]] += weight**FLATTENED
        if not counts:
            raise SurveyError("'texts' must hold at least one text")
        chosen = sorted(counts, key=lambda one: (-counts[one].total(), one))[:contexts]
        return cls({one: _lists(counts[one], not one) for one in sorted({"", *chosen})})

    @classmethod
    def uniform(cls, characters: str) -> TextCode:
        """Return the code in which all these characters have words of the same length, or nearly.

        >>> TextCode.uniform("0123456789abcde").size("c0dde")
        25
        """
        weights = dict.fromkeys(characters, 1.0) | {END: 0.5, ESCAPE: 0.5}
        return cls({"": _by_length(weights)})

    @classmethod
    @cache
    def common(cls) -> TextCode:
        """Return the code for words, names and sites in Latin letters that explorations use."""
        from importlib.resources import files

        return cls(json.loads((files(__package__) / "text_code.json").read_text("utf-8")))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextCode) and self.contexts == other.contexts

    def __hash__(self) -> int:
        return hash(tuple(sorted(self.contexts)))

    def __repr__(self) -> str:
        return f"<TextCode of {len(self.contexts)} contexts>"

    def bits(self, text: str, length: int) -> str:
        """Return the first bits of a text's code, as a device computes them."""
        return self._code.bits(text, length)

    def size(self, text: str) -> int:
        """Return how many bits a text takes, its end included."""
        before, size = START, 0
        for one in device.normalized(text, len(text)) + END:
            size += len(self._code.word(before, one))
            before = self._code.after(before, one)
        return size

    def spelled(self, bits: str, begun: Spelled = NOTHING) -> Spelled | None:
        """Return what bits spell, after those that spelled what has begun; None if no text."""
        bits = begun.rest + bits
        text, before, place = begun.text, START + begun.text, 0
        while (found := self._next(before, bits, place)) is not None:
            one, place = found
            if one == END:
                return None if "1" in bits[place:] else Spelled(text, True, bits[place:])
            if one in _NEVER:
                return None
            text += one
            before = self._code.after(before, one)
        return Spelled(text, False, bits[place:])

    def _next(self, before: str, bits: str, place: int) -> tuple[str, int] | None:
        """Read one character, or the end; None if the bits end before that."""
        context = self._code.context(before)
        one, place = _read(self._readers[context], bits, place)
        if one == ESCAPE and context:
            one, place = _read(self._readers[""], bits, place)
        if one == ESCAPE:
            end = place + POINT_BITS
            one, place = _character(bits[place:end]) if len(bits) >= end else None, end
        return None if one is None else (one, place)

    def strings_within(self, bits: str, more: int) -> int:
        """Return how many texts whose code begins with these bits end within so many more."""
        found = self.spelled(bits)
        if found is None or found.complete:
            return int(found is not None)
        before = START
        for one in found.text:
            before = self._code.after(before, one)
        return self._ends(self.state(before), found.rest, more)

    def _ends(self, state: str, begun: str, more: int) -> int:
        """Count the texts that end within `more` bits, of which the next word has begun."""
        count = 0
        for word, one in self._words_after(state):
            left = more + len(begun) - len(word)
            if left >= 0 and word.startswith(begun):
                count += 1 if one == END else self._ends_from(self.state(state + one), left)
        return count

    @cached_property
    def _ends_from(self) -> Any:
        return cache(lambda state, more: self._ends(state, "", more))

    @cached_property
    def _words_after(self) -> Any:
        """The words after a state; code points that no context lists are too long to count."""

        def words_after(state: str) -> list[tuple[str, str]]:
            words, rest = self._code.words[self._code.context(state)], self._code.words[""]
            found = [(word, one) for one, word in words.items() if one != ESCAPE]
            if words is not rest:
                found += [
                    (words[ESCAPE] + word, one)
                    for one, word in rest.items()
                    if one != ESCAPE and one not in words
                ]
            return sorted(found)

        return cache(words_after)

    def word(self, before: str, one: str) -> str:
        """Return the word of a character, or of the end, that comes after `before`."""
        return self._code.word(before, one)

    @cached_property
    def characters(self) -> set[str]:
        """The characters that contexts list, or look back at."""
        listed = {one for words in self._code.words.values() for one in words}
        return {one for one in listed.union(*self.contexts) if one not in _NEVER}

    @cached_property
    def states(self) -> set[str]:
        """The ends of texts that tell which contexts they may come to."""
        return {context[:end] for context in self.contexts for end in range(len(context) + 1)}

    def state(self, before: str) -> str:
        """Return the end of a text that tells which contexts it may come to."""
        return next(
            before[start:] for start in range(len(before) + 1) if before[start:] in self.states
        )


_NEVER = {chr(one) for one in (*range(0x20), 0x7F)} | set("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
"""What no text has once it is normalised."""


def _read(words: Mapping[str, str], bits: str, place: int) -> tuple[str | None, int]:
    for end in range(place + 1, min(place + MAX_WORD, len(bits)) + 1):
        one = words.get(bits[place:end])
        if one is not None:
            return one, end
    return None, place


def _character(bits: str) -> str:
    point = int(bits, 2)
    is_one = point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF
    return chr(point) if is_one else "\0"  # which no text has


def _lists(counts: Counter[str], is_last: bool) -> list[str]:
    """Return the characters of a context by the lengths of their words, a Huffman code's.

    The last resort lists every character that occurs; other contexts the likely ones.
    """
    total = counts.total()
    least = total * (2.0 ** (4 - MAX_WORD) if is_last else RARE)
    listed = {one: max(count, least) for one, count in counts.items() if is_last or count >= least}
    if is_last:
        listed.setdefault(END, least)
    missed = total - sum(counts[one] for one in listed)
    listed[ESCAPE] = max(missed, total * RARE / 4 if is_last else total * RARE)
    return _by_length(listed)


def _by_length(weights: Mapping[str, float]) -> list[str]:
    """Return characters by the lengths of their words."""
    lists: list[list[str]] = []
    for one, length in sorted(_lengths(weights).items()):
        lists += [[] for _ in range(length - len(lists))]
        lists[length - 1].append(one)
    return ["".join(one) for one in lists]


def _lengths(weights: Mapping[str, float]) -> dict[str, int]:
    """Return the lengths of a Huffman code's words."""
    heap = [(weight, number, one) for number, (one, weight) in enumerate(sorted(weights.items()))]
    heapq.heapify(heap)
    lengths = dict.fromkeys(weights, 1 if len(weights) == 1 else 0)
    number = len(heap)
    while len(heap) > 1:
        (light, _, left), (heavy, _, right) = heapq.heappop(heap), heapq.heappop(heap)
        for one in left + right:
            lengths[one] += 1
        heapq.heappush(heap, (light + heavy, number, left + right))
        number += 1
    return lengths
