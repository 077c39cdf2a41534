"""The dashboard: pages for people, served beside the API by the same process.

Every page is a template filled with plain values (`views`), works without scripts, and has its
JSON and CSV.  Scripts add charts and live updates.  Nothing is loaded from anywhere else.
"""

from __future__ import annotations

from fastapi import FastAPI

from harmony.service.state import ServiceState

from . import (
    about,
    activity,
    assets,
    be_device,
    comparisons,
    create,
    create_steps,
    description,
    devices,
    explorations,
    governance,
    live,
    settings,
    shared,
    shares,
    signin,
    surveys,
    trainings,
    weights,
)
from .readings import Readings
from .recent import Recent

__all__ = ["install"]


def install(api: FastAPI, state: ServiceState) -> None:
    """Add the dashboard to the application."""
    api.state.readings = Readings(state.catalogue)
    api.state.recent_pages = Recent[str]()
    rooms = (
        assets,
        signin,
        live,
        surveys,
        weights,
        comparisons,
        create,
        create_steps,
        create_steps,
        trainings,
        explorations,
        governance,
        devices,
        activity,
        about,
        settings,
        shares,
        shared,
        description,
        be_device,
    )
    for room in rooms:
        api.include_router(room.router)
