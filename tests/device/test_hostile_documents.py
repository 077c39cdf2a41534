"""A document that is refused costs a device little: 20 MB, and a few times what parsing costs."""

from __future__ import annotations

import gc
import json
import string
import time
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import count, product

import pytest

from harmony_device import RefusedError, Survey
from harmony_device.protocol import BYTES_A_MARK, MARKS, MOST_BYTES

HEAD = (
    '{"format":"harmony-survey/1","name":"x","epsilon":1,"answers":1,'
    '"attributes":[%s],"tables":[%s]}'
)
CODE = '"coin":1,"mechanisms":[{"code":"linear","base":2,"digits":21,"multipliers":[1],"table":0}]'
VALUES = '{"name":"a","kind":"categorical","values":[%s],' + CODE + "}"
TABLE = '{"kind":"circulant","counts":[1,2]}'


def marks(text: str) -> int:
    """Count what a document may have only so many of."""
    return sum(map(text.count, MARKS.decode()))


def filled(document: str, pieces: Iterator[str]) -> str:
    """Put so many pieces into a document that it just fits."""
    room, marks_left = MOST_BYTES - len(document), MOST_BYTES // BYTES_A_MARK - marks(document)
    taken = []
    for piece in pieces:
        room -= len(piece.encode()) + 1
        marks_left -= marks(piece) + 1
        if room < 0 or marks_left < 0:
            break
        taken.append(piece)
    return document % ",".join(taken)


def words() -> Iterator[str]:
    return map("".join, product(string.ascii_letters, repeat=3))


def wide_words() -> Iterator[str]:
    return (chr(0x100 + n % 1000) + chr(0x4E00 + n // 1000) for n in count())


def widest_words() -> Iterator[str]:
    return map(chr, count(0x10000))


def nested(depth: int, opening: str, inner: str, closing: str) -> Iterator[str]:
    return (opening * depth + inner + closing * depth for _ in count())


def dense(last: int) -> str:
    """A table of many counts, whose last row differs in one symbol from the others."""
    number = '{"name":"a","kind":"numeric","low":0,"high":1,"coin":1,"mechanisms":[%s]}'
    rows = [[1] * 16383 + [2**53 - 16383] for _ in range(7)]
    rows[-1][:1], rows[-1][-1:] = [last], [2**53 - 16382 - last]
    table = json.dumps({"kind": "dense", "counts": rows}, separators=(",", ":"))
    return HEAD % (number % '{"code":"grid","points":7,"table":0}', table)


def attributes() -> str:
    one = '{"name":"%s","kind":"categorical","values":[0,1],' + CODE + "}"
    return filled(HEAD % ("%s", TABLE), (one % word for word in words()))


def values(listed: str, pieces: Iterator[str]) -> str:
    return filled(HEAD % (VALUES.replace("%s", listed), TABLE), pieces)


DOCUMENTS: dict[str, Callable[[], str]] = {
    "numbers": lambda: filled("[%s]", ("1.5" for _ in count())),
    "text": lambda: filled("[%s]", (f'"{word}"' for word in wide_words())),
    "names": lambda: filled("{%s}", (f'"{word}":0.5' for word in wide_words())),
    "names of integers": lambda: filled("{%s}", (f'"{word}":7' for word in words())),
    "names beyond 16 bits": lambda: filled("{%s}", (f'"{word}":0.5' for word in widest_words())),
    "objects": lambda: filled("[%s]", (f'{{"{word}":0.5}}' for word in words())),
    "objects beyond 16 bits": lambda: filled(
        "[%s]", (f'{{"{word}":0.5}}' for word in widest_words())),
    "objects of two names": lambda: filled(
        "[%s]", (f'{{"{word}":0.5,"{word}z":0.5}}' for word in widest_words())),
    "objects in objects": lambda: filled("[%s]", nested(100, '{"":', "{}", "}")),
    "lists": lambda: filled("[%s]", ("[1.5]" for _ in count())),
    "lists in lists": lambda: filled("[%s]", nested(100, "[", "", "]")),
    "values, and a bad table": lambda: values("%s", (f'"{word}"' for word in words())),
    "wide values": lambda: values("%s", (f'"{word}"' for word in wide_words())),
    "values beyond 16 bits": lambda: values("%s", (f'"{word}"' for word in widest_words())),
    "integers": lambda: values("%s", (str(n) for n in count(300))),
    "integers as floats": lambda: values("%s", (f"{n}.0" for n in count())),
    "a value twice": lambda: values("%s,0", map(str, count())),
    "attributes": attributes,
    "counts without a promise": lambda: dense(last=4),
    "counts that miss their sum": lambda: dense(last=1).replace("[1,", "[2,", 1),
}  # fmt: skip


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_refusal_costs_little(kind: str) -> None:
    """Time is compared with what parsing takes here and now, so that it hangs on no machine."""
    content = DOCUMENTS[kind]().encode().ljust(MOST_BYTES)
    assert len(content) == MOST_BYTES
    refused, parsed = [], []
    gc.freeze()  # what other tests left would be looked through again and again
    for _ in range(3):
        started = time.process_time()
        with pytest.raises(RefusedError):
            Survey.from_json(content)
        refused.append(time.process_time() - started)
        started = time.process_time()
        json.loads(content)
        parsed.append(time.process_time() - started)
    gc.unfreeze()
    assert min(refused) < 20 * min(parsed)
    tracemalloc.start()
    try:
        with pytest.raises(RefusedError):
            Survey.from_json(content)
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()
