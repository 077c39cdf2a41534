"""Writing the rows of a result or a comparison to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..estimate.export import Exported

FORMATS = (".json", ".csv", ".parquet")


def write_rows(rows: Exported, out: Path, confidence: float, top: int | None) -> None:
    """Write them in the format of the file's name, which is one of `FORMATS`."""
    from ..files import write_whole

    if out.suffix == ".json":
        write_whole(out, f"{rows.to_json(confidence, top=top)}\n".encode())
    elif out.suffix == ".csv":
        write_whole(out, rows.to_csv(confidence, top=top).encode())
    else:
        write_whole(out, _parquet(rows, confidence, top))


def _parquet(rows: Exported, confidence: float, top: int | None) -> bytes:
    import io

    import pyarrow as pa
    from pyarrow import parquet

    from ..estimate.export import finite_rows

    finite = finite_rows(rows.rows(confidence, top=top))
    for row in finite:
        row["value"] = None if row["value"] is None else str(row["value"])
    buffer = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(finite), buffer)
    return buffer.getvalue()
