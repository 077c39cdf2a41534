"""Write the conformance vectors: `python device/vectors/generate.py`.

Every SDK, in any language, must pass them.  The expected results come from `reference`, which
is no SDK, so that the two check each other.  Survey documents are designed by `harmony`: with
another SciPy their tables may differ in the last digits, which is fine.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arithmetic import code_vectors, coin_vectors, table_vectors
from contract import (
    bound_vectors,
    document_vectors,
    list_vectors,
    record_vectors,
)
from ledgers import ledger_vectors
from over_time import over_time_vectors, product_vectors
from refused import refused_vectors
from reports import report_vectors
from steps import step_vectors
from texts import text_vectors

from harmony_device.attributes import is_well_formed

HERE = Path(__file__).parent


def write(name: str, vectors: dict[str, Any]) -> None:
    """Write one case a line, so that a difference shows the case."""
    parts = []
    for key, value in vectors.items():
        if isinstance(value, list):
            lines = ",\n  ".join(map(written, value))
            parts.append(f'"{key}": [\n  {lines}\n ]')
        else:
            parts.append(f'"{key}": {written(value)}')
    (HERE / name).write_text("{\n " + ",\n ".join(parts) + "\n}\n", encoding="utf-8")


def written(value: Any) -> str:
    """JSON in UTF-8, except where a text is no Unicode."""
    text = json.dumps(value, ensure_ascii=False)
    return text if is_well_formed(text) else json.dumps(value)


if __name__ == "__main__":
    write("bounds.json", bound_vectors() | {"products": product_vectors()})
    write("over_time.json", over_time_vectors())
    write("coins.json", coin_vectors())
    write("codes.json", code_vectors())
    write("tables.json", table_vectors())
    write("reports.json", report_vectors())
    write("refused.json", refused_vectors())
    write("steps.json", step_vectors())
    write("documents.json", document_vectors())
    write("lists.json", list_vectors())
    write("ledgers.json", ledger_vectors())
    write("records.json", record_vectors())
    write("texts.json", text_vectors())
