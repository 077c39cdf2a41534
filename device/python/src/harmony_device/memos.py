"""Memos: what a device keeps between the rounds of a survey with memory.

A memo holds, for each answer that the survey's coin asks, one random word to round with and one
for each index of its table.  They stand for the permanent symbol of each index, whatever the
value is or will be: how many words are drawn and kept depends on the survey alone.

Privacy: a memo is drawn once, with the operating system's randomness, and is on disk before
anything is made of it.  Under the directory's lock nobody draws a second one, and only withdrawn
consent removes it: a survey that is no longer listed may be listed again.
"""

from __future__ import annotations

import os
from struct import unpack

from .coins import ID_BYTES
from .durable import make_directory, read_file, remove_file, write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FOLDER = "memos"
NAME_BYTES = 8
WORD_BYTES = 8


class Memo:
    """The random words that a device keeps for one survey, under a name for the ledger."""

    __slots__ = ("name", "words")

    def __init__(self, name: str, words: tuple[int, ...]) -> None:
        self.name = name
        self.words = words


class Memos:
    """The memos of a device's directory, a file of hexadecimal digits each, `most_bytes` at most.

    >>> import tempfile
    >>> memos = Memos(tempfile.mkdtemp())
    >>> memos.read("ab" * 32, bytes(16), words=3) is None
    True
    >>> memo = memos.draw("ab" * 32, bytes(16), 3, lambda count: bytes(range(count)))
    >>> memo.name, hex(memo.words[0])
    ('0001020304050607', '0xf0e0d0c0b0a0908')
    >>> memos.read("ab" * 32, bytes(16), 3).words == memo.words
    True
    """

    def __init__(self, directory: str, most_bytes: int = 1 << 20) -> None:
        self._folder = os.path.join(directory, FOLDER)
        self.most_bytes = most_bytes

    def read(self, fingerprint: str, device: bytes, words: int) -> Memo | None:
        """Return this device's memo for a survey, or None if it has none that is whole."""
        try:
            content = bytes.fromhex((read_file(self._path(fingerprint)) or b"").decode("ascii"))
        except ValueError:
            return None
        if len(content) != _size(words) or not content.startswith(device):
            return None
        return _memo(content)

    def has_room(self, words: int) -> bool:
        """Whether one more memo of so many words may be kept."""
        return self.bytes() + 2 * _size(words) <= self.most_bytes

    def draw(
        self, fingerprint: str, device: bytes, words: int, random_bytes: Callable[[int], bytes]
    ) -> Memo:
        """Draw a memo and keep it, durably, before anything is made of it."""
        make_directory(self._folder)
        content = device + random_bytes(NAME_BYTES + WORD_BYTES * words)
        write_file(self._path(fingerprint), content.hex().encode())
        return _memo(content)

    def bytes(self) -> int:
        """Return how many bytes the memos take."""
        return sum(os.path.getsize(self._path(file)) for file in self._files())

    def clear(self) -> None:
        """Remove everything, what a crash left unfinished as well."""
        for file in self._files():
            remove_file(self._path(file))

    def _files(self) -> Iterator[str]:
        return iter(os.listdir(self._folder) if os.path.isdir(self._folder) else ())

    def _path(self, fingerprint: str) -> str:
        return os.path.join(self._folder, fingerprint)


def _size(words: int) -> int:
    return ID_BYTES + NAME_BYTES + WORD_BYTES * words


def _memo(content: bytes) -> Memo:
    named = content[ID_BYTES:]
    words = unpack(f"<{len(named) // WORD_BYTES - 1}Q", named[NAME_BYTES:])
    return Memo(named[:NAME_BYTES].hex(), words)
