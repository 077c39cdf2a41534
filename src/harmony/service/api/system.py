"""Routes for whoever runs the server: health and metrics."""

from __future__ import annotations

from fastapi import APIRouter, Response

from harmony.service.problems import Problem

from .access import State

router = APIRouter(tags=["system"])


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """Respond: the process runs."""
    return {"status": "ok"}


@router.get("/readyz")
async def readyz(state: State) -> dict[str, str]:
    """Whether the server can take reports: it runs, its database responds, commits succeed."""
    trouble = state.trouble()
    if trouble:
        raise Problem("overloaded", trouble, retry_after=1)
    return {"status": "ready"}


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def metrics(state: State) -> Response:
    """Show the metrics as Prometheus reads them."""
    return Response(state.metrics.page(), media_type="text/plain; version=0.0.4")
