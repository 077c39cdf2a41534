"""What OpenAPI says of the route where devices ask for work, which is not FastAPI's."""

from __future__ import annotations

from typing import Any

from harmony.service.training.route import PREFIX, SUFFIX

from .ingest_description import refusal

TASK_PATH = f"{PREFIX}{{name}}{SUFFIX}"

_STEP = {
    "type": "object",
    "required": ["format", "training", "step", "survey", "round"],
}

TASK_DESCRIPTION: dict[str, Any] = {
    "get": {
        "tags": ["devices"],
        "summary": "Task",
        "operationId": "task",
        "description": "Get the open step of a training, with the model so far and what to compute "
        "from it, or of an exploration. The report goes to the route for reports, under the "
        "training's name. A device takes part once.",
        "security": [{"Device": []}],
        "parameters": [
            {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
        ],
        "responses": {
            "200": {
                "description": "The step, with an ETag",
                "content": {"application/json": {"schema": _STEP}},
            },
            "204": {"description": "Enough devices are at work; ask again as Retry-After says"},
            "304": {"description": "Unchanged"},
            "401": refusal("No valid credential"),
            "404": refusal("No such training"),
            "410": refusal("The training is over"),
            "429": refusal("Too many requests"),
        },
    }
}
