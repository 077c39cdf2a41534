"""Writes the tables of the guides from the code, between their marks: `make docs`.

Every number is computed in closed form from the tables that ship (`Survey.plan`); the tests run
this again and fail when a page says something else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import harmony as hm
from harmony.service.composition import ROUNDS_IN_30_DAYS

FOLDER = Path(__file__).parent
EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
SIZES = (100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
CONFIDENT = 1.96


def yes_or_no(epsilon: float, attributes: int = 1) -> hm.Survey:
    """Return a survey of so many yes-or-no questions."""
    asked = [hm.Boolean(f"question {number}") for number in range(attributes)]
    return hm.Survey("table", asked, epsilon=epsilon)


def error(survey: hm.Survey, devices: int) -> float:
    """Return the largest error that a survey expects, as a share of the domain."""
    return max(one.error for one in survey.plan(devices=devices).errors)


def needed(survey: hm.Survey, wanted: float) -> int:
    """Return the devices for which no error exceeds this share."""
    return survey.plan(error=wanted).devices


def meaning() -> str:
    """What an epsilon promises to one person."""
    rows = []
    for epsilon in EPSILONS:
        odds = math.exp(epsilon)
        told = f"{odds:.3g}" if odds < 100 else f"{odds:,.0f}"
        rows.append([f"{epsilon:g}", told, _share(odds / (1 + odds)), _share(1 / (1 + odds))])
    heads = [
        "epsilon",
        "odds change at most",
        "50% becomes at most",
        "a yes-or-no answer is flipped",
    ]
    return _table(heads, rows)


def cost() -> str:
    """What an epsilon costs: devices for an error of one point."""
    values = [f"v{number}" for number in range(16)]
    rows = []
    for epsilon in EPSILONS:
        surveys = (
            yes_or_no(epsilon),
            hm.Survey("table", [hm.Numeric("number", 0, 100)], epsilon=epsilon),
            hm.Survey("table", [hm.Categorical("value", values)], epsilon=epsilon),
            yes_or_no(epsilon, attributes=10),
        )
        rows.append([f"{epsilon:g}", *(_devices(needed(one, 0.01)) for one in surveys)])
    heads = ["epsilon", "a yes or no", "a mean", "a list of 16 values", "ten yes-or-no questions"]
    return _table(heads, rows)


def sizes() -> str:
    """What a number of devices can tell, with and without trust in a server."""
    one, ten = yes_or_no(1.0), yes_or_no(1.0, attributes=10)
    rows = []
    for devices in SIZES:
        sampling = CONFIDENT * math.sqrt(0.25 / devices)
        central = math.log(20) / devices  # Laplace of scale 1 / epsilon: 95% lie within ln 20
        rows.append(
            [
                f"{devices:,}",
                *(_points(error(survey, devices)) for survey in (one, ten)),
                _points(central),
                _points(sampling),
            ]
        )
    heads = [
        "devices", "Harmony, one question", "Harmony, ten questions",
        "a trusted server with DP noise", "everybody's data, as a sample",
    ]  # fmt: skip
    return _table(heads, rows)


def rare() -> str:
    """The rarest thing that can be told from nothing."""
    rows = []
    for devices in SIZES[2:]:
        cells = [_share(2 * error(yes_or_no(epsilon), devices)) for epsilon in (0.5, 1.0, 4.0)]
        rows.append([f"{devices:,}", *cells])
    return _table(["devices", "epsilon 0.5", "epsilon 1", "epsilon 4"], rows)


def bins() -> str:
    """What more values cost."""
    rows = []
    for values in (2, 4, 8, 16, 32, 64, 128, 256, 1024):
        asked = hm.Categorical("value", list(range(values)))
        survey = hm.Survey("table", [asked], epsilon=1.0)
        each = error(survey, 1_000_000)
        rows.append([f"{values:,}", _points(each), _share(1 / values), f"{each * values:.0%}"])
    heads = ["values or bins", "error of each", "an even share", "error, of an even share"]
    return _table(heads, rows)


def attributes() -> str:
    """What more attributes cost."""
    rows = []
    for count in (1, 2, 5, 10, 20, 50):
        cells = [
            _points(error(yes_or_no(epsilon, count), 1_000_000)) for epsilon in (0.5, 1.0, 4.0)
        ]
        rows.append([f"{count}", *cells])
    return _table(["yes-or-no attributes", "epsilon 0.5", "epsilon 1", "epsilon 4"], rows)


def rounds() -> str:
    """What one person spends on a schedule, if nothing stops them."""
    rows = []
    for name, most in {"once": 1, **dict(reversed(ROUNDS_IN_30_DAYS.items()))}.items():
        spent = [f"{epsilon * most:g}" for epsilon in (0.1, 0.5, 1.0, 2.0)]
        rows.append([name, f"{most}", *spent])
    heads = [
        "rounds",
        "in 30 days, at most",
        "epsilon 0.1",
        "epsilon 0.5",
        "epsilon 1",
        "epsilon 2",
    ]
    return _table(heads, rows)


TABLES: dict[str, tuple[str, Callable[[], str]]] = {
    "meaning": ("how-to/choose-epsilon.md", meaning),
    "cost": ("how-to/choose-epsilon.md", cost),
    "rounds": ("how-to/choose-epsilon.md", rounds),
    "bins": ("how-to/choose-attributes.md", bins),
    "attributes": ("how-to/choose-attributes.md", attributes),
    "sizes": ("is-this-for-me.md", sizes),
    "rare": ("is-this-for-me.md", rare),
}


def written(name: str) -> tuple[Path, str]:
    """Return a table's page, and what that page should say."""
    page, table = TABLES[name]
    text = (FOLDER / page).read_text(encoding="utf-8")
    marks = rf"(<!-- table: {name} -->\n).*?(<!-- end -->)"
    assert re.search(marks, text, re.S), f"{page} has no place for the table {name!r}"
    return FOLDER / page, re.sub(
        marks, lambda found: f"{found[1]}{table()}{found[2]}", text, flags=re.S
    )


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---:"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _share(share: float) -> str:
    """Write a share in percent, with more digits near the whole."""
    return f"{100 * share:.{4 if share > 0.99 else 3}g}%"


def _points(share: float) -> str:
    """Write an error in points of percent; one of half the domain tells nothing."""
    if share >= 0.5:
        return "tells nothing"
    points = 100 * share
    if points < 0.001:
        return "under 0.001"
    return f"± {points:.0f}" if points >= 9.95 else f"± {points:.2g}"


def _devices(count: int) -> str:
    """Write a number of devices with two digits that count."""
    scale = 10 ** max(0, len(str(count)) - 2)
    return f"{-(-count // scale) * scale:,}"


if __name__ == "__main__":
    for one in TABLES:
        place, content = written(one)
        place.write_text(content, encoding="utf-8")
