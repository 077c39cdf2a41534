"""Routes for whoever runs the server: health and metrics."""

from __future__ import annotations

from fastapi import APIRouter, Response
from sqlalchemy import text

from harmony.service.problems import Problem

from .access import UnlimitedState

router = APIRouter(tags=["system"])


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """Respond: the process runs."""
    return {"status": "ok"}


@router.get("/readyz")
def readyz(state: UnlimitedState) -> dict[str, str]:
    """Whether the server can take reports: it is started and its database responds."""
    if not state.ready:
        raise Problem("overloaded", "the server is starting or stopping", retry_after=1)
    with state.database.read() as connection:
        connection.execute(text("SELECT 1"))
    return {"status": "ready"}


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def metrics(state: UnlimitedState) -> Response:
    """Show the metrics as Prometheus reads them."""
    return Response(state.metrics.page(), media_type="text/plain; version=0.0.4")
