"""Survey documents on disk, by fingerprint, so that each is downloaded once."""

from __future__ import annotations

import os

from .durable import make_directory, read_file, remove_file, write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

FOLDER = "surveys"


class Documents:
    """The documents of a device's directory, `most_bytes` at most."""

    def __init__(self, directory: str, most_bytes: int = 16 << 20) -> None:
        self._folder = os.path.join(directory, FOLDER)
        self._most_bytes = most_bytes

    def read(self, fingerprint: str) -> bytes | None:
        """Return a document that is kept and undamaged, else None."""
        content = read_file(self._path(fingerprint))
        return content if content is not None and matches(content, fingerprint) else None

    def keep(self, fingerprint: str, content: bytes) -> None:
        """Keep a document, if there is room; it can be downloaded again."""
        make_directory(self._folder)
        used = sum(os.path.getsize(self._path(file)) for file in os.listdir(self._folder))
        if used + len(content) <= self._most_bytes:
            write_file(self._path(fingerprint), content)

    def keep_only(self, fingerprints: Container[str]) -> None:
        """Remove every document but these."""
        if os.path.isdir(self._folder):
            for file in os.listdir(self._folder):
                if file not in fingerprints:
                    remove_file(self._path(file))

    def _path(self, fingerprint: str) -> str:
        return os.path.join(self._folder, fingerprint)


def matches(content: bytes, fingerprint: str) -> bool:
    """Whether a document has this fingerprint: the SHA-256 of exactly these bytes."""
    from hashlib import sha256

    return sha256(content).hexdigest() == fingerprint
