"""The packed batch: thousands of reports of one round in one request.

`"HARMONY1" ‖ fingerprint (32) ‖ label length (1) ‖ label ‖ count (4, little-endian) ‖ reports`
"""

from __future__ import annotations

from dataclasses import dataclass

from .problems import Problem

MEDIA_TYPE = "application/vnd.harmony.reports"
MAGIC = b"HARMONY1"

_FINGERPRINT = slice(8, 40)
_LABEL = 41


@dataclass(frozen=True)
class PackedBatch:
    """A packed batch, read but for its reports, whose size only the survey knows."""

    fingerprint: str
    label: str
    count: int
    reports: memoryview

    def sized(self, size: int) -> memoryview:
        """Return the reports, which must be `count` times `size` bytes."""
        if len(self.reports) != self.count * size:
            raise Problem(
                "malformed",
                f"'reports' must be {self.count} reports of {size} bytes, as 'count' and the "
                "survey say",
            )
        return self.reports


def pack(fingerprint: str, label: str, reports: bytes, size: int) -> bytes:
    """Return a packed batch of `reports`, each of `size` bytes.

    >>> unpack(pack("ab" * 32, "w1", b"xyz" * 2, 3)).count
    2
    """
    name = label.encode()
    count = (len(reports) // size).to_bytes(4, "little")
    header = MAGIC + bytes.fromhex(fingerprint) + bytes([len(name)]) + name + count
    return header + reports


def unpack(body: bytes) -> PackedBatch:
    """Read a packed batch, or raise the problem with it."""
    if body[: len(MAGIC)] != MAGIC:
        raise Problem("malformed", "a packed batch must start with 'HARMONY1'")
    if len(body) < _LABEL:
        raise Problem("malformed", "'fingerprint' or the label's length is cut short")
    end = _LABEL + body[_LABEL - 1]
    if len(body) < end + 4:
        raise Problem("malformed", "'label' or 'count' is cut short")
    try:
        label = body[_LABEL:end].decode("ascii")
    except UnicodeDecodeError:
        raise Problem("malformed", "'label' must be a round's label") from None
    count = int.from_bytes(body[end : end + 4], "little")
    return PackedBatch(body[_FINGERPRINT].hex(), label, count, memoryview(body)[end + 4 :])
