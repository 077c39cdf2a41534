"""Reports in bulk: an Arrow table with a row for each device.

Where a server gives reports to analysts, devices have pseudonyms, which are others in each round.
Coins cannot be recomputed from those, so such a table also says in which cells its answers count.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from harmony_device.coins import ID_BYTES

from .arrays import NO_TIERS, Symbols, Tiers, Words
from .errors import TallyError
from .rounds import Round

if TYPE_CHECKING:
    from .survey import Survey

METADATA = b"harmony"

PSEUDONYMS = {"devices": "pseudonyms"}
"""What the metadata say of a table whose devices are not called by their ids."""


def reports_schema(survey: Survey, round: Round) -> pa.Schema:
    """Return the Arrow schema of reports; its metadata name the survey and the round."""
    symbol = pa.uint8() if survey.symbol_bytes == 1 else pa.uint16()
    fields = [pa.field("device", pa.binary(ID_BYTES)), pa.field("tier", pa.uint8())]
    fields += [pa.field(f"symbol_{answer}", symbol) for answer in range(survey.answers)]
    about = {"survey": survey.name, "fingerprint": survey.fingerprint} | round.to_dict()
    return pa.schema(fields, metadata={METADATA: json.dumps(about).encode()})


def cell_columns(survey: Survey) -> list[str]:
    """Return the names of the columns with each answer's cell."""
    return [f"cell_{answer}" for answer in range(survey.answers)]


def pseudonymous_schema(survey: Survey, round: Round) -> pa.Schema:
    """Return the Arrow schema of reports under pseudonyms, with the cells of their answers."""
    plain = reports_schema(survey, round)
    fields = [*plain, *(pa.field(name, pa.int64()) for name in cell_columns(survey))]
    return pa.schema(fields, metadata=pseudonymous(plain.metadata))


def pseudonymous(metadata: dict[bytes, bytes]) -> dict[bytes, bytes]:
    """Return the metadata of reports, saying that devices have pseudonyms."""
    about = json.loads(metadata[METADATA]) | PSEUDONYMS
    return {METADATA: json.dumps(about).encode()}


def has_pseudonyms(schema: pa.Schema) -> bool:
    """Whether a table's devices are not called by their ids."""
    try:
        about = json.loads((schema.metadata or {})[METADATA])
        return bool(about["devices"] == PSEUDONYMS["devices"])
    except (KeyError, ValueError, TypeError):
        return False


def reports_batch(
    survey: Survey, schema: pa.Schema, ids: Words, tiers: Tiers, symbols: Symbols
) -> pa.RecordBatch:
    """Return some devices' reports as an Arrow batch of the schema above."""
    count = ids.shape[1]
    whole_ids = pa.py_buffer(np.array(ids.T, order="C"))  # a copy: the ids lie in a buffer
    device = pa.FixedSizeBinaryArray.from_buffers(pa.binary(ID_BYTES), count, [None, whole_ids])
    tier = pa.array(tiers if len(tiers) else np.zeros(count, np.uint8))
    by_answer = symbols.reshape(count, survey.answers)
    kind = np.uint8 if survey.symbol_bytes == 1 else np.uint16
    columns = [pa.array(by_answer[:, answer].astype(kind)) for answer in range(survey.answers)]
    return pa.record_batch([device, tier, *columns], schema)


def said_by(schema: pa.Schema) -> tuple[str, Round] | None:
    """Return the survey's fingerprint and the round that a schema's metadata name, if they do."""
    try:
        about = json.loads((schema.metadata or {})[METADATA])
        return str(about["fingerprint"]), Round.from_dict(about)
    except (KeyError, ValueError, TypeError, AttributeError):
        return None


def tier_reports(tiers: Tiers, devices: int, count: int) -> tuple[int, ...]:
    """Return how many reports are of each tier; without tiers, all are of the one."""
    if not len(tiers):
        return (devices,)
    return tuple(np.bincount(tiers, minlength=count).tolist())


def read_batch(
    batch: pa.RecordBatch, survey: Survey
) -> tuple[Words, Tiers, list[NDArray[np.unsignedinteger]]]:
    """Return the ids, the tiers and each answer's symbols of a batch of reports, once checked."""
    if any(batch.column(name).null_count for name in batch.schema.names):
        raise TallyError("reports: a report has a null; every field is needed")
    columns = [
        batch.column(f"symbol_{answer}").to_numpy(zero_copy_only=False)
        for answer in range(survey.answers)
    ]
    if any(column.dtype.kind != "u" for column in columns):
        raise TallyError("reports: symbols must be unsigned integers")
    tiers = batch.column("tier").to_numpy(zero_copy_only=False)
    if tiers.max() >= len(survey.tiers):
        raise TallyError("reports: a tier is not one of the survey's")
    if len(survey.tiers) == 1:
        tiers = NO_TIERS
    return id_words(batch.column("device")), tiers.astype(np.uint8), columns


def id_words(device: pa.Array) -> Words:
    """Return an Arrow column of 16-byte ids as their low words, then their high words."""
    if device.type != pa.binary(ID_BYTES):
        raise TallyError("reports: 'device' must be binary of 16 bytes")
    if not len(device):
        return np.empty((2, 0), np.uint64)
    words = np.frombuffer(device.buffers()[1], "<u8").reshape(-1, 2)
    return np.ascontiguousarray(words[device.offset : device.offset + len(device)].T)
