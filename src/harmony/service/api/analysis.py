"""Routes for analysts: rounds, estimates, tallies, stored reports.  Estimates read the tally."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import IO, Annotated, Literal

import structlog
from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import StreamingResponse

from harmony.errors import HarmonyError
from harmony.estimate.compare import Comparison, compare
from harmony.estimate.result import Result
from harmony.service.catalogue import RoundEntry
from harmony.service.export import record_export, write_parquet
from harmony.service.problems import OverloadedError, Problem
from harmony.service.state import ServiceState
from harmony.service.stores import ReportsDroppedError, StoreError, open_store
from harmony.service.strata import MOST_STRATA
from harmony.service.tokens import ADMIN
from harmony.service.weighting import Weighted, read_population, tally_of, weigh

from .access import Analyst, State
from .admin import LATEST
from .estimate_models import Differences, Estimates, StratumList, StratumView
from .models import Label, RoundDetail, RoundList

log = structlog.get_logger(__name__)

router = APIRouter(prefix="/v1/surveys/{name}/rounds", tags=["analysis"])

PART_BYTES = 1 << 18

Confidence = Annotated[float, Query(ge=0.5, le=0.9999)]
Top = Annotated[
    int | None,
    Query(
        ge=1,
        le=1 << 20,
        description="of histograms only the so many most frequent values, "
        "with intervals that hold for the pick; or the so many largest differences",
    ),
]
Since = Annotated[Label, Query(description="the label of the earlier round")]
OfSurvey = Annotated[
    str | None,
    Query(max_length=100, description="the earlier round's survey, if it is another one"),
]

Stayed = Annotated[
    float,
    Query(
        ge=0,
        le=1,
        description="of a survey with memory: the least share of devices that answered both "
        "rounds, and the same",
    ),
]


Shares = Annotated[
    Sequence[str],
    Query(
        max_length=MOST_STRATA,
        description="the share of a stratum, `NAME:SHARE`, or of several that are joined, "
        "`NAME,NAME:SHARE`; once for each stratum of the round",
        examples=[["1.x:0.3", "2.x:0.7"]],
    ),
]
OfStratum = Annotated[
    str | None, Query(max_length=64, description="only the reports of this stratum")
]


def _round(state: ServiceState, name: str, label: str) -> RoundEntry:
    return state.catalogue.round(name, None if label == LATEST else label)


def _result_of(state: ServiceState, entry: RoundEntry) -> Result:
    return entry.live.survey.estimate(state.catalogue.tally(entry))


def _estimated(
    state: State, _: Analyst, name: str, label: Label, population: Shares = ()
) -> Result | Weighted:
    entry = _round(state, name, label)
    if not population:
        return _result_of(state, entry)
    tallies, least = state.catalogue.tallies(entry), state.settings.stratum_reports
    return weigh(entry.live.survey, tallies, read_population(population), least)


def _compared(
    state: State,
    _: Analyst,
    name: str,
    label: Label,
    since: Since,
    of: OfSurvey = None,
    stayed: Stayed = 0.0,
) -> Comparison:
    after, before = _round(state, name, label), _round(state, of or name, since)
    return compare_rounds(before, after, lambda one: _result_of(state, one), stayed)


Estimated = Annotated[Result | Weighted, Depends(_estimated)]
Compared = Annotated[Comparison, Depends(_compared)]


@router.get("")
def list_rounds(state: State, _: Analyst, name: str) -> RoundList:
    """List a survey's rounds."""
    rounds = state.catalogue.survey(name).rounds.values()
    return RoundList(rounds=[RoundDetail.of_entry(one) for one in rounds])


@router.get("/{label}/estimates", response_model_exclude_unset=True)
def estimates(result: Estimated, confidence: Confidence = 0.95, top: Top = None) -> Estimates:
    """Estimate every mean and histogram, with intervals; `latest` is the newest round.

    With `population` they are for a population, of which the round's strata have these shares.
    """
    return Estimates(**result.to_dict(confidence, top=top))


@router.get(
    "/{label}/estimates.csv",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}}},
)
def estimates_csv(result: Estimated, confidence: Confidence = 0.95, top: Top = None) -> Response:
    """The same as CSV."""
    found = result.result if isinstance(result, Weighted) else result
    return Response(found.to_csv(confidence, top=top), media_type="text/csv")


@router.get("/{label}/strata")
def strata(state: State, _: Analyst, name: str, label: Label) -> StratumList:
    """List the strata, as the server knows them without asking, and the reports of each."""
    tallies = state.catalogue.tallies(_round(state, name, label))
    without = tallies.pop("").reports
    found = [StratumView(stratum=name, reports=one.reports) for name, one in tallies.items()]
    return StratumList(strata=found, without=without)


@router.get("/{label}/changes")
def changes(found: Compared, confidence: Confidence = 0.95, top: Top = None) -> Differences:
    """Compare a round with an earlier one: every difference, with intervals."""
    return Differences(**found.to_dict(confidence, top=top))


@router.get(
    "/{label}/changes.csv",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}}},
)
def changes_csv(found: Compared, confidence: Confidence = 0.95, top: Top = None) -> Response:
    """The same as CSV."""
    return Response(found.to_csv(confidence, top=top), media_type="text/csv")


@router.get(
    "/{label}/tally",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
def tally(state: State, _: Analyst, name: str, label: Label, stratum: OfStratum = None) -> Response:
    """Download the tally file: all that the analysis needs, anywhere."""
    entry = _round(state, name, label)
    filename = f"{name}-{entry.live.round.label.replace(':', '-')}.tally"
    if stratum is None:
        content = state.catalogue.tally(entry).to_bytes()
    else:
        least = state.settings.stratum_reports
        content = tally_of(state.catalogue.tallies(entry), stratum, least).to_bytes()
    return Response(
        content,
        media_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="{filename}"'},
    )


@router.get(
    "/{label}/reports.parquet",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/vnd.apache.parquet": {}}}},
)
def reports(
    state: State,
    holder: Analyst,
    name: str,
    label: Label,
    ids: Annotated[
        Literal["pseudonyms", "raw"], Query(description="`raw` is for admins, and is recorded")
    ] = "pseudonyms",
) -> StreamingResponse:
    """Export the stored reports as Parquet, to count or analyse elsewhere.

    Devices have pseudonyms, which are different in every round.
    """
    raw = ids == "raw"
    if raw and holder.role != ADMIN:
        raise Problem("forbidden", "'ids': only an admin may ask for the ids of devices")
    live = _round(state, name, label).live
    file = tempfile.TemporaryFile(prefix="harmony-")  # noqa: SIM115  closed when it is sent
    try:
        with closing(open_store(state.database)) as store:
            written = write_parquet(file, live, store.stored(live), raw=raw)
        record_export(state.database, state.clock(), holder, live, written, raw=raw)
    except ReportsDroppedError as dropped:
        file.close()
        raise Problem("dropped", str(dropped)) from None
    except StoreError as problem:
        file.close()
        log.error("reports could not be read", survey=name, problem=str(problem))
        raise OverloadedError("the database does not respond") from None
    except BaseException:
        file.close()
        raise
    filename = f"{name}-{live.round.label.replace(':', '-')}.parquet"
    headers = {
        "Content-Disposition": f'attachment; filename="{filename}"',
        "Content-Length": str(file.tell()),
        "Cache-Control": "no-store",
    }
    return StreamingResponse(
        _content(file), media_type="application/vnd.apache.parquet", headers=headers
    )


def _content(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file from its start, and close it, whatever becomes of the reader."""
    with file:
        file.seek(0)
        while part := file.read(PART_BYTES):
            yield part


def compare_rounds(
    before: RoundEntry,
    after: RoundEntry,
    result: Callable[[RoundEntry], Result],
    stayed: float = 0.0,
) -> Comparison:
    """Compare two rounds, or say what is wrong with them."""
    if before.live.id == after.live.id:
        raise Problem("malformed", "a round cannot be compared with itself; name two rounds")
    try:
        return compare(result(before), result(after), stayed=stayed)
    except HarmonyError as problem:
        raise Problem("malformed", str(problem)) from None
