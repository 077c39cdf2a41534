"""The service's few plain pages: no script, nothing loaded from elsewhere."""

from __future__ import annotations

from html import escape
from typing import Any

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto }}
body {{ padding: 0 1rem }}
code, pre {{ background: #f3f3f1; padding: .1rem .3rem; border-radius: 3px; word-break: break-all }}
h2 {{ margin-top: 2.5rem }} h3 {{ margin-bottom: .2rem }} p, ul {{ margin-top: .2rem }}
button {{ font: inherit; padding: .4rem 1rem }}
</style></head><body><h1>{title}</h1>{content}</body></html>
"""


def claim_page(code: str) -> str:
    """Return the page behind the link that the first start prints."""
    form = (
        "<p>This server has no admin yet. Its first start printed a code that makes you one; "
        "it works once.</p><form method='post' action='/claim'>"
        f"<input type='hidden' name='code' value='{escape(code, quote=True)}'>"
        "<button>Show my admin token</button></form>"
    )
    return _PAGE.format(title="Harmony: become admin", content=form)


def claimed_page(token: str | None) -> str:
    """Return the page with the admin's token, or the one that says why there is none."""
    if token is None:
        said = (
            "<p>This code is not valid, was used before, or is older than a day. If nobody is "
            "admin yet, start the server again: it prints a new one.</p>"
        )
    else:
        said = (
            "<p>Keep this token; it is shown this once and stored only as a hash. Send it as "
            f"<code>Authorization: Bearer …</code>.</p><pre>{escape(token)}</pre>"
        )
    return _PAGE.format(title="Harmony: become admin", content=said)


def docs_page(description: dict[str, Any]) -> str:
    """Return an OpenAPI description as a page."""
    info = description["info"]
    parts = [
        f"<p>{escape(info.get('description', ''))} "
        "<a href='/openapi.json'>openapi.json</a> has every detail.</p>"
    ]
    by_tag: dict[str, list[str]] = {}
    for path, methods in description["paths"].items():
        for method, route in methods.items():
            shown = _route(method.upper(), path, route, description)
            by_tag.setdefault(route.get("tags", [""])[0], []).append(shown)
    for tag, routes in by_tag.items():
        parts.append(f"<h2>{escape(tag.capitalize())}</h2>" + "".join(routes))
    return _PAGE.format(title=escape(info["title"]), content="".join(parts))


def _route(method: str, path: str, route: dict[str, Any], description: dict[str, Any]) -> str:
    lines = [
        f"<h3><code>{method} {escape(path)}</code></h3>",
        f"<p>{escape(route.get('description', ''))}</p>",
    ]
    items = [
        f"<li><code>{escape(one['name'])}</code> ({escape(one['in'])}"
        f"{', required' if one.get('required') else ''})</li>"
        for one in route.get("parameters", [])
    ]
    for media_type, content in route.get("requestBody", {}).get("content", {}).items():
        fields = ", ".join(_fields(content.get("schema", {}), description))
        items.append(f"<li>body: <code>{escape(media_type)}</code> {escape(fields)}</li>")
    answers = ", ".join(escape(status) for status in route.get("responses", {}))
    items.append(f"<li>answers: {answers}</li>")
    return "".join(lines) + f"<ul>{''.join(items)}</ul>"


def _fields(schema: dict[str, Any], description: dict[str, Any]) -> list[str]:
    """Return the names of the fields that a body has."""
    for branch in schema.get("anyOf", []) + schema.get("oneOf", []):
        schema = schema | branch
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        schema = description["components"]["schemas"][name]
    return list(schema.get("properties", {}))
