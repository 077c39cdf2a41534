"""Pages of the site that are written from the code: the settings and the REST API."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from harmony.service.app import api_of
from harmony.service.dashboard.description import by_tag
from harmony.service.settings import Settings
from harmony.service.state import ServiceState

SETTINGS = """# Settings

Written from the code. A flag wins over the environment, the environment over a file (`--config`,
TOML, YAML or JSON), and a file over the default. `harmony serve` has flags for those that are often
wanted, `python -m harmony.service` for every one. [Run a server](../operations.md) says what to do
with them.

| setting | environment | default | |
|---|---|---|---|
"""

REST = """# REST

Written from the server's own OpenAPI description, which it serves at `/openapi.json` and, as a
page, at `/docs`. What devices send, byte by byte, is in [the protocol](../protocol.md), and so is
who may call what.
"""


def settings_page() -> str:
    """Return the page of settings."""
    return SETTINGS + "\n".join(
        f"| `{name}` | `HARMONY_{name.upper()}` | {_default(field)} | {field.description or ''} |"
        for name, field in Settings.model_fields.items()
    )


def _default(field: Any) -> str:
    default = field.get_default(call_default_factory=True)
    return "" if default in ("", []) else f"`{default}`"


def rest_page() -> str:
    """Return the page of routes."""
    with tempfile.TemporaryDirectory() as folder:
        state = ServiceState(Settings.load(database=str(Path(folder) / "harmony.db")))
        described = api_of(state).openapi()
        state.database.close()
    parts = [REST]
    for tag, routes in by_tag(described).items():
        parts.append(f"## {tag.capitalize()}\n")
        parts += [_route(route) for route in routes]
    return "\n".join(parts)


def _route(route: dict[str, Any]) -> str:
    lines = [f"### `{route['method']} {route['path']}`\n", route["says"], ""]
    for one in route["parameters"]:
        needed = ", required" if one.get("required") else ""
        lines.append(f"- `{one['name']}` ({one['in']}{needed})")
    for media_type, fields in route["bodies"].items():
        named = f": {', '.join(f'`{field}`' for field in fields)}" if fields else ""
        lines.append(f"- body `{media_type}`{named}")
    lines.append(f"- responses: {', '.join(route['responses'])}\n")
    return "\n".join(lines)
