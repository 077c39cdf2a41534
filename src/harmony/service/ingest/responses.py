"""What the outcomes of a report look like over HTTP."""

from __future__ import annotations

from ..asgi import Response, problem_response, response_of
from ..problems import Problem
from . import outcomes as outcome

RESPONSES = {
    outcome.ACCEPTED: response_of(201, "application/json", b'{"result":"accepted"}'),
    outcome.DUPLICATE: response_of(200, "application/json", b'{"result":"duplicate"}'),
}
"""The responses to reports that are as they should be."""

_REFUSALS = {
    outcome.CONFLICT: ("conflict", "this device already sent another report in this round"),
    outcome.CLOSED: ("closed", "the round is not open"),
    outcome.MALFORMED: ("malformed", "'report': its tier or a symbol is not in the survey"),
    outcome.FORBIDDEN: ("forbidden", "it is not this device's turn in this round"),
    outcome.UNAUTHORIZED: ("unauthorized", "this device was deleted; enrol again"),
}


def refusal(became: int) -> Problem:
    """Return the problem that an outcome amounts to.

    >>> refusal(outcome.CONFLICT).status
    409
    """
    return Problem(*_REFUSALS[became])


def response_to(became: int) -> Response:
    """Return the response that tells what became of a report; its commit has counted it.

    >>> response_to(outcome.ACCEPTED)[0]["status"]
    201
    """
    return RESPONSES.get(became) or problem_response(refusal(became))
