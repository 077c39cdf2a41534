"""What is there is in the docs, and what is in the docs is there.

A setting, a command or option, a metric, a route, a reason of refusal, a variable of the
environment, a target of make or an extra without a word in the docs fails a test here, and so
does a word about one that is gone.
"""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import json
import re
import runpy
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harmony.service.app import api_of
from harmony.service.metrics import Metrics
from harmony.service.problems import TITLES
from harmony.service.settings import Settings
from harmony.service.state import ServiceState

ROOT = Path(__file__).parents[1]
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(one for one in (ROOT / "device").rglob("*.md") if "node_modules" not in one.parts),
]
NAMES = [str(one.relative_to(ROOT)) for one in PAGES]
FILES = [
    f"/{one.relative_to(ROOT)}{'/' if one.is_dir() else ''}"
    for folder in ("benchmarks", "deploy", "device", "docs", "examples", "src", "tests")
    for one in [ROOT / folder, *(ROOT / folder).rglob("*")]
] + [f"/{one.name}" for one in ROOT.iterdir()]
OTHER_FILES = ("CHANGELOG.md", "device/java/README.md", "device/python/README.md")
"""Pages that name files of the past, or of a device."""

METHODS = "GET|POST|PUT|PATCH|DELETE"


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def section(name: str, heading: str) -> str:
    """Return what a page says under a heading of the second level."""
    return page(name).split(f"\n## {heading}\n")[1].split("\n## ")[0]


def rows(text: str) -> dict[str, list[str]]:
    """Return a table's cells by the code in the first one."""
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line[:3] == "| `"]
    return {row[0].strip().strip("`"): [cell.strip() for cell in row[1:]] for row in cells}


def test_every_setting_is_documented_with_its_default() -> None:
    shown = rows(section("docs/operations.md", "Settings"))
    assert shown.keys() == Settings.model_fields.keys()
    for name, field in Settings.model_fields.items():
        default = field.get_default(call_default_factory=True)
        said = "" if default in ("", []) else str(default)
        assert shown[name][0].strip("`") == said, name


def test_every_metric_is_documented_under_its_full_name() -> None:
    metrics = Metrics().registry.collect()
    names = {f"{one.name}_total" if one.type == "counter" else one.name for one in metrics}
    assert rows(section("docs/operations.md", "Metrics")).keys() == names


def test_the_page_of_commands_says_what_they_say() -> None:
    written = runpy.run_path(str(ROOT / "docs/command_line.py"))["page"]()
    assert page("docs/command-line.md") == written, "run `make docs`"


def test_every_argument_and_option_says_what_it_is_for() -> None:
    for row in re.findall(r"^\| `.*", page("docs/command-line.md"), re.M):
        assert not row.endswith("| None |"), row


@pytest.fixture
def api(tmp_path: Path) -> Any:
    return api_of(ServiceState(Settings.load(database=str(tmp_path / "harmony.db"))))


def routes_of(routes: list[Any]) -> Iterator[Any]:
    """Yield every route; FastAPI keeps those of an included router inside it."""
    for one in routes:
        if hasattr(one, "path"):
            yield one
        else:
            yield from routes_of(one.original_router.routes)


def test_every_route_of_the_api_is_in_the_protocol(api: Any) -> None:
    there = {
        f"{method.upper()} {path}"
        for path, methods in api.openapi()["paths"].items()
        for method in methods
    } | {"GET /openapi.json"}
    assert requests_in(page("docs/protocol.md")) == there


def test_every_page_of_the_dashboard_is_documented(api: Any) -> None:
    hidden = [one for one in routes_of(api.routes) if not one.include_in_schema]
    there = {f"{method} {one.path}" for one in hidden for method in one.methods - {"HEAD"}}
    assert requests_in(section("docs/dashboard.md", "The pages")) == there - {"GET /openapi.json"}


def requests_in(text: str) -> set[str]:
    return set(re.findall(rf"`((?:{METHODS}) /[^\s`?]*)", text))


def test_every_reason_of_refusal_is_in_the_protocol() -> None:
    shown = {
        reason: status
        for statuses, reasons in re.findall(
            r"^\| ([\d, ]+) \| (.*) \|$", page("docs/protocol.md"), re.M
        )
        for reason in re.findall(r"`([a-z-]+)`", reasons)
        for status in [statuses]
    }
    assert shown.keys() == TITLES.keys()
    for reason, (status, _) in TITLES.items():
        assert str(status) in shown[reason]


@pytest.mark.parametrize("name", ["refused", "steps", "texts"])
def test_every_refusal_of_the_vectors_is_in_the_protocol(name: str) -> None:
    vectors = json.loads(page(f"device/vectors/{name}.json"))
    said = page("docs/protocol.md").replace("\\*", "*").replace("\n", " ")
    assert [one["why"] for one in vectors["refused"] if one["why"] not in said] == []


def test_every_variable_of_the_environment_is_documented() -> None:
    code = [*(ROOT / "src").rglob("*.py"), *(ROOT / "device").rglob("*.py")]
    code += [*(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    read = {name for one in code for name in re.findall(r'"(HARMONY_[A-Z_]+)"', one.read_text())}
    settings = {f"HARMONY_{name.upper()}" for name in Settings.model_fields}
    said = "".join(one.read_text() for one in PAGES)
    assert {name for name in read - settings if f"`{name}`" not in said} == set()


def test_every_target_of_make_is_in_contributing() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*## ", page("Makefile"), re.M)) - {"help"}
    assert {name for name in targets if f"`make {name}`" not in page("CONTRIBUTING.md")} == set()


def test_every_extra_is_in_contributing() -> None:
    extras = tomllib.loads(page("pyproject.toml"))["project"]["optional-dependencies"]
    assert rows(section("CONTRIBUTING.md", "Set up")).keys() >= extras.keys()


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    text = re.sub(r"```.*?```", "", page(name), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        where = (ROOT / name).parent / file if file else ROOT / name
        assert where.exists(), target
        if anchor:
            assert anchor in anchors(where.read_text(encoding="utf-8")), target


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


@pytest.mark.parametrize("name", [one for one in NAMES if one not in OTHER_FILES])
def test_files_that_the_text_names_exist(name: str) -> None:
    named = re.findall(r"`([\w./-]+(?:\.(?:py|toml|yaml)|/))`", page(name))
    lost = [one for one in named if not any(path.endswith(f"/{one}") for path in FILES)]
    assert lost == []


@pytest.mark.parametrize("package", ["harmony", "harmony.learn", "harmony.engines"])
def test_what_a_package_exports_is_used_in_an_example(package: str) -> None:
    """In its own docstring or another of its module; exceptions and plain records aside."""
    exporting = importlib.import_module(package)
    for name in exporting.__all__:
        one = getattr(exporting, name)
        if not callable(one) or is_exception(one) or is_plain_record(one):
            continue
        tests = doctest.DocTestFinder().find(importlib.import_module(one.__module__))
        own = f"{one.__module__}.{name}"
        assert any(
            test.examples
            and (test.name.startswith(own) or re.search(rf"\b{name}\b", test.docstring or ""))
            for test in tests
        ), name


def is_exception(one: object) -> bool:
    """Whether this is a class of exceptions."""
    return isinstance(one, type) and issubclass(one, Exception)


def is_plain_record(one: object) -> bool:
    """Whether this is a dataclass that only holds values."""
    return dataclasses.is_dataclass(one) and not any(
        callable(value) and not name.startswith("_") for name, value in vars(one).items()
    )


def test_the_order_of_rooms_is_that_of_the_contract() -> None:
    layers = tomllib.loads(page("pyproject.toml"))["tool"]["importlinter"]["contracts"][0]["layers"]
    order = " > ".join(layers).replace(" |", ",").replace("harmony.", "")
    assert order in " ".join(page("ARCHITECTURE.md").split())
