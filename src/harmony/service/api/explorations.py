"""Routes for explorations: admins create and stop them, analysts read them.

They run in steps as trainings do: devices ask for their task in `harmony.service.training.route`.
"""

from __future__ import annotations

from fastapi import APIRouter, Response

from harmony.exploration import Findings
from harmony.service.entries import is_exploration
from harmony.service.problems import Problem

from .access import Admin, Analyst, State
from .training_models import ExplorationBody, ExplorationDetail, ExplorationList, TrainingView
from .trainings import created, listed, stopped

router = APIRouter(prefix="/v1/explorations", tags=["explorations"])


@router.post("", status_code=201)
def create_exploration(state: State, holder: Admin, body: ExplorationBody) -> TrainingView:
    """Create an exploration and open its first step: devices may ask for its task from now on."""
    if not is_exploration(body.exploration):
        raise Problem("malformed", "'text' is missing: the name of what devices tell, or more")
    return created(state, holder, "exploration", body.exploration, body)


@router.get("")
def list_explorations(state: State, _: Analyst) -> ExplorationList:
    """List the explorations."""
    entries = listed(state, explores=True)
    return ExplorationList(explorations=[TrainingView.of(one) for one in entries])


@router.get("/{name}")
def show_exploration(state: State, _: Analyst, name: str) -> ExplorationDetail:
    """Show an exploration: its steps, its history, and what it found once it has ended."""
    return ExplorationDetail.of_progress(state.trainings.progress(name))


@router.post("/{name}/stop")
def stop_exploration(state: State, holder: Admin, name: str) -> TrainingView:
    """End an exploration now; before its last step it has found nothing."""
    return stopped(state, holder, "exploration", name)


@router.get("/{name}/findings.csv")
def download_findings(state: State, _: Analyst, name: str) -> Response:
    """Download the strings that were found, as CSV."""
    findings = findings_of(state, name)
    filename = f'attachment; filename="{name}.csv"'
    return Response(findings.to_csv(), media_type="text/csv",
                    headers={"Content-Disposition": filename})  # fmt: skip


def findings_of(state: State, name: str) -> Findings:
    """Return what an exploration found, or raise the problem that it has not ended by itself."""
    findings = state.trainings.progress(name).explorer.findings
    if findings is None:
        raise Problem("not-found", "the exploration has found nothing yet: its last step is open")
    return findings
