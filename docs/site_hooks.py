"""Builds the site from pages that also read well in the repository: mkdocs calls this.

Pages outside docs/ join under the names below, and the reference pages that are written from the
code are made here.  Links are written for the repository; those to pages of the site are turned to
them, and those to other files of the repository become plain names.
"""

from __future__ import annotations

import importlib.util
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]

JOINED = {
    "ARCHITECTURE.md": "explanation/architecture.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "RELEASING.md": "project/releasing.md",
    "SECURITY.md": "explanation/security.md",
    "device/java/README.md": "reference/device-java.md",
    "device/javascript/README.md": "reference/device-javascript.md",
    "device/python/README.md": "reference/device-python.md",
    "device/vectors/README.md": "reference/vectors.md",
    "examples/web/README.md": "project/example-web.md",
}
"""Pages of the repository by their path, and where they are on the site."""

HOME = "README.md"
"""Links to it lead to the site's first page."""

_FENCED = re.compile(r"(^ *```.*?^ *```)", re.M | re.S)
_LINK = re.compile(r"(!?)\[((?:[^\]\[]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages from outside docs/, and those that are written from the code."""
    for path, name in JOINED.items():
        content = (ROOT / path).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=content))
    for name, content in _written().items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Turn links for the repository into links for the site."""
    name = page.file.src_uri
    home = next((path for path, joined in JOINED.items() if joined == name), f"docs/{name}")
    parts = _FENCED.split(markdown)
    return "".join(
        part if place % 2 else _LINK.sub(lambda found: _link(found, home, name), part)
        for place, part in enumerate(parts)
    )


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Name the search dialog for those who hear the page."""
    dialog = 'data-md-component="search" role="dialog"'
    return output.replace(dialog, f'{dialog} aria-label="Search"')


def _link(found: re.Match[str], home: str, name: str) -> str:
    """Return a link as the site needs it; `home` is the page's path in the repository."""
    picture, text, target = found.groups()
    if "://" in target or target.startswith(("#", "mailto:")):
        return found[0]
    path, hash_mark, anchor = target.partition("#")
    wanted = posixpath.normpath(posixpath.join(posixpath.dirname(home), path))
    there = _on_site(wanted)
    if there is None:
        return text if text.startswith("`") else f"`{text}`"
    relative = posixpath.relpath(there, posixpath.dirname(name) or ".")
    return f"{picture}[{text}]({relative}{hash_mark}{anchor})"


def _on_site(wanted: str) -> str | None:
    """Return where a file of the repository is on the site, if it is there."""
    if wanted == HOME:
        return "index.md"
    for path in (wanted, f"{wanted}/README.md"):
        if path in JOINED:
            return JOINED[path]
    inside = wanted.removeprefix("docs/")
    is_page = wanted.startswith("docs/") and not (ROOT / wanted).is_dir()
    return inside if is_page else None


def _written() -> dict[str, str]:
    """Return the pages that are written from the code, by their names on the site."""
    place = Path(__file__).with_name("site_pages.py")
    spec = importlib.util.spec_from_file_location("site_pages", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {
        "reference/settings.md": module.settings_page(),
        "reference/rest.md": module.rest_page(),
    }
