"""Bytes that look random and are always the same, and how words are written."""

from __future__ import annotations

from hashlib import sha256


def some_bytes(label: str, count: int) -> bytes:
    """Bytes that look random and are always the same."""
    blocks = (
        sha256(f"harmony vectors {label} {i}".encode()).digest() for i in range(count // 32 + 1)
    )
    return b"".join(blocks)[:count]


def hex_word(word: int) -> str:
    return f"{word:016x}"
