"""Routes for analysts: rounds, estimates, tallies, stored reports.  Estimates read the tally."""

from __future__ import annotations

import os
import tempfile
from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from harmony.estimate.result import Result
from harmony.service.catalogue import RoundEntry
from harmony.service.export import write_parquet
from harmony.service.state import ServiceState
from harmony.service.stores import open_store

from .access import Analyst, State
from .admin import LATEST
from .models import Estimates, Label, RoundList, RoundView

router = APIRouter(prefix="/v1/surveys/{name}/rounds", tags=["analysis"])

Confidence = Annotated[float, Query(ge=0.5, le=0.9999)]
Top = Annotated[
    int | None,
    Query(
        ge=1,
        le=1 << 20,
        description="of histograms only the so many most frequent values, "
        "with intervals that hold for the pick",
    ),
]


@router.get("")
def list_rounds(state: State, _: Analyst, name: str) -> RoundList:
    """List a survey's rounds."""
    rounds = state.catalogue.survey(name).rounds.values()
    return RoundList(rounds=[RoundView.of(one) for one in rounds])


@router.get("/{label}/estimates")
def estimates(
    state: State,
    _: Analyst,
    name: str,
    label: Label,
    confidence: Confidence = 0.95,
    top: Top = None,
) -> Estimates:
    """Estimate every mean and histogram, with intervals; `latest` is the newest round."""
    return Estimates(**_result(state, name, label).to_dict(confidence, top=top))


@router.get(
    "/{label}/estimates.csv",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}}},
)
def estimates_csv(
    state: State,
    _: Analyst,
    name: str,
    label: Label,
    confidence: Confidence = 0.95,
    top: Top = None,
) -> Response:
    """The same as CSV."""
    content = _result(state, name, label).to_csv(confidence, top=top)
    return Response(content, media_type="text/csv")


@router.get(
    "/{label}/tally",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
def tally(state: State, _: Analyst, name: str, label: Label) -> Response:
    """Download the tally file: all that the analysis needs, anywhere."""
    entry = _round(state, name, label)
    content = state.catalogue.tally(entry).to_bytes()
    filename = f"{name}-{entry.live.round.label.replace(':', '-')}.tally"
    return Response(
        content,
        media_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="{filename}"'},
    )


@router.get(
    "/{label}/reports.parquet",
    response_class=FileResponse,
    responses={200: {"content": {"application/vnd.apache.parquet": {}}}},
)
def reports(state: State, _: Analyst, name: str, label: Label) -> FileResponse:
    """Export the stored reports as Parquet, to count or analyse elsewhere."""
    entry = _round(state, name, label)
    handle, path = tempfile.mkstemp(suffix=".parquet", prefix="harmony-")
    os.close(handle)
    store = open_store(state.database)
    try:
        write_parquet(path, entry.live, store.stored(entry.live))
    except BaseException:
        os.unlink(path)
        raise
    finally:
        store.close()
    return FileResponse(
        path,
        media_type="application/vnd.apache.parquet",
        filename=f"{name}-{entry.live.round.label.replace(':', '-')}.parquet",
        background=BackgroundTask(os.unlink, path),
    )


def _round(state: ServiceState, name: str, label: str) -> RoundEntry:
    return state.catalogue.round(name, None if label == LATEST else label)


def _result(state: ServiceState, name: str, label: str) -> Result:
    entry = _round(state, name, label)
    return entry.live.survey.estimate(state.catalogue.tally(entry))
