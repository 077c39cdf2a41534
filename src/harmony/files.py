"""Reading and writing small structured files (JSON, YAML), safely."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from .errors import HarmonyError, SurveyError


def read_structured(path: str | Path) -> Any:
    """Read a .json, .yaml or .yml file."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise SurveyError(f"{path}: cannot be read ({problem.strerror})") from None
    except UnicodeDecodeError:
        raise SurveyError(f"{path}: is not UTF-8 text") from None
    if _is_yaml(path):
        import yaml

        try:
            return yaml.safe_load(text)
        except yaml.YAMLError as problem:
            mark = getattr(problem, "problem_mark", None)
            line = f", line {mark.line + 1}" if mark else ""
            raise SurveyError(f"{path}{line}: is not valid YAML") from None
    try:
        return json.loads(text)
    except json.JSONDecodeError as problem:
        raise SurveyError(f"{path}, line {problem.lineno}: is not valid JSON") from None


def write_structured(path: str | Path, document: Any) -> None:
    """Write a .json, .yaml or .yml file, whole or not at all."""
    path = Path(path)
    if _is_yaml(path):
        import yaml

        text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
    else:
        text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    write_whole(path, text.encode())


def write_whole(path: str | Path, content: bytes) -> None:
    """Write `content` to a file beside `path`, then move it into place."""
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        try:
            temporary.write_bytes(content)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as problem:
        raise HarmonyError(f"{path}: cannot be written ({problem.strerror})") from None


def _is_yaml(path: Path) -> bool:
    if path.suffix in (".yaml", ".yml"):
        return True
    if path.suffix == ".json":
        return False
    raise SurveyError(f"{path}: the name must end in .json, .yaml or .yml")
