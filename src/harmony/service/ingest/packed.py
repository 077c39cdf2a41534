"""The packed batch: thousands of reports of one round in one request.

`"HARMONY1" ‖ fingerprint (32) ‖ label length (1) ‖ label ‖ count (4, little-endian) ‖ reports`
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..problems import Problem
from .blocks import TIER

if TYPE_CHECKING:
    import pyarrow as pa

    from harmony.survey import Survey

MEDIA_TYPE = "application/vnd.harmony.reports"
MAGIC = b"HARMONY1"

LEAST_REPORT = TIER + 2
"""Bytes of the shortest report: a device, a tier and one symbol of a byte."""

_FINGERPRINT = slice(8, 40)
_LABEL = 41


@dataclass(frozen=True)
class PackedBatch:
    """A packed batch, read but for its reports, whose size only the survey knows."""

    fingerprint: str
    label: str
    count: int
    reports: memoryview

    def most_reports(self) -> int:
        """Return how many reports there can be: `count` is only what the sender says.

        >>> unpack(pack("ab" * 32, "w1", b"", 1)[:-4] + bytes([255] * 4)).most_reports()
        0
        """
        return min(self.count, len(self.reports) // LEAST_REPORT)

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


def pack_table(survey: Survey, label: str, reports: pa.Table) -> bytes:
    """Return a packed batch of reports as `Survey.randomize` gives them: what a gateway sends."""
    import numpy as np

    columns = [
        np.frombuffer(
            b"".join(chunk.buffers()[1].to_pybytes() for chunk in column.chunks), np.uint8
        ).reshape(len(reports), -1)
        for column in reports.combine_chunks().columns
    ]
    rows = np.concatenate(columns, axis=1)
    return pack(survey.fingerprint, label, rows.tobytes(), rows.shape[1])


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
