"""Routes for whoever runs the server: health, metrics, the API's description, the first claim."""

from __future__ import annotations

from urllib.parse import parse_qs

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from harmony.service.pages import claim_page, claimed_page, docs_page
from harmony.service.problems import Problem

from .access import State, UnlimitedState

router = APIRouter(tags=["system"])

PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """Say that the process runs."""
    return {"status": "ok"}


@router.get("/readyz")
def readyz(state: UnlimitedState) -> dict[str, str]:
    """Say whether the server can take reports: it is started and its database answers."""
    if not state.ready:
        raise Problem("overloaded", "the server is starting or stopping", retry_after=1)
    try:
        with state.database.read() as connection:
            connection.execute(text("SELECT 1"))
    except SQLAlchemyError:
        raise Problem("overloaded", "the database does not answer", retry_after=5) from None
    return {"status": "ready"}


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def metrics(state: UnlimitedState) -> Response:
    """Show the metrics as Prometheus reads them."""
    return Response(state.metrics.page(), media_type="text/plain; version=0.0.4")


@router.get("/docs", include_in_schema=False)
def docs(request: Request) -> HTMLResponse:
    """Show the API's description as one page."""
    return _page(docs_page(request.app.openapi()))


@router.get("/claim", include_in_schema=False)
def show_claim(code: str = "") -> HTMLResponse:
    """Offer to claim the first admin's token."""
    return _page(claim_page(code[:200]))


@router.post("/claim", include_in_schema=False)
async def claim(state: State, request: Request) -> HTMLResponse:
    """Show the first admin's token, once."""
    form = parse_qs((await request.body()).decode("latin-1"))
    token = await run_in_threadpool(state.tokens.claim, form.get("code", [""])[0])
    return _page(claimed_page(token), 200 if token else 401)


def _page(content: str, status: int = 200) -> HTMLResponse:
    return HTMLResponse(content, status, PAGE_HEADERS)
