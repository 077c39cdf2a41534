"""Who asks: dependencies that turn an Authorization header into a device or a token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer

from harmony.service.credentials import Holder
from harmony.service.state import ServiceState
from harmony.service.tokens import ADMIN, ANALYST, Token

_bearer = HTTPBearer(auto_error=False, description="a token of the role that the route needs")
_device = APIKeyHeader(
    name="Authorization",
    scheme_name="Device",
    auto_error=False,
    description="'Harmony ' and the device's id in hex, a dot, and its credential",
)


def _state(request: Request) -> ServiceState:
    state = request.app.state.service
    assert isinstance(state, ServiceState)
    return state


State = Annotated[ServiceState, Depends(_state)]


def _holder(*roles: str) -> Callable[..., Token]:
    def check(
        request: Request,
        state: State,
        _: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
    ) -> Token:
        return state.admit_bearer(request.headers.get("authorization", ""), roles)

    return check


def _own_device(state: State, authorization: Annotated[str | None, Security(_device)]) -> Holder:
    return state.admit_device((authorization or "").encode("latin-1"))


Admin = Annotated[Token, Depends(_holder(ADMIN))]
Analyst = Annotated[Token, Depends(_holder(ANALYST))]
OwnDevice = Annotated[Holder, Depends(_own_device)]
