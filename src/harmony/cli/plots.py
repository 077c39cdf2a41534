"""Plots drawn with characters, for terminals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from ..plan import Plan

COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red")
HEIGHT = 14
MOST_WIDTH = 80
UNIT = " devices"
AXIS = 9
"""Characters to the left of the plot: the labels and the line."""

_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""Bits of a braille character: by column, then by row."""


@dataclass(frozen=True)
class Curve:
    """Attributes with the same error, which falls as one over the root of the devices."""

    names: tuple[str, ...]
    error: float


class Canvas:
    """A grid of characters, each with two by four dots; `across` and `down` go from 0 to 1."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._characters = [[" "] * width for _ in range(height)]
        self._styles = [[""] * width for _ in range(height)]

    def dot(self, across: float, down: float, style: str) -> None:
        """Set one dot; what lies outside is left out."""
        if not 0 <= down <= 1:
            return
        x, y = round(across * (2 * self.width - 1)), round(down * (4 * self.height - 1))
        row, column = y // 4, x // 2
        now = ord(self._characters[row][column])
        dots = now - 0x2800 if now >= 0x2800 else 0
        self.put(row, column, chr(0x2800 + (dots | _DOTS[x % 2][y % 4])), style)

    def slope(self, start: float, falls: float, style: str) -> None:
        """Draw a straight line from the left edge to the right."""
        for step in range(2 * self.width):
            across = step / (2 * self.width - 1)
            self.dot(across, start + across * falls, style)

    def letter(self, across: float, down: float, character: str, style: str) -> None:
        """Put a character where a dot would be."""
        if not 0 <= down <= 1:
            return
        row, column = round(down * (4 * self.height - 1)) // 4, round(across * (self.width - 1))
        self.put(row, column, character, style)

    def put(self, row: int, column: int, character: str, style: str) -> None:
        self._characters[row][column], self._styles[row][column] = character, style

    def line(self, row: int) -> Text:
        """Return one row as styled text."""
        return Text.assemble(*zip(self._characters[row], self._styles[row], strict=True))


def error_plot(planned: Plan, width: int) -> Text:
    """Draw the expected errors against the number of devices, both on logarithmic axes."""
    curves = _curves(planned)
    plot = Canvas(max(min(width, MOST_WIDTH) - AXIS - len(UNIT), 20), HEIGHT)
    middle = math.floor(math.log10(planned.devices))
    left, right = max(middle - 1, 0), max(middle - 1, 0) + 3
    top = math.log10(min(1.0, _error_at(curves[0], planned.devices, left)))
    bottom = math.log10(_error_at(curves[-1], planned.devices, right))
    here = (math.log10(planned.devices) - left) / (right - left)
    for row in range(HEIGHT):
        plot.put(row, round(here * (plot.width - 1)), "┊", "dim")
    falls = (right - left) / 2 / (top - bottom)
    starts = [(top - math.log10(one.error)) / (top - bottom) - here * falls for one in curves]
    for place, start in enumerate(starts):
        plot.slope(start, falls, _colour(place))
    for place, start in enumerate(starts):
        across = (place + 1) / (len(starts) + 1)
        letter = ascii_lowercase[place]
        plot.letter(across, start + across * falls, letter, f"bold {_colour(place)}")
    labels = _y_labels(top, bottom)
    lines = [
        Text.assemble((f"{labels.get(row, ''):>{AXIS - 2}} │", "dim"), plot.line(row))
        for row in range(HEIGHT)
    ]
    lines += [Text(line, style="dim") for line in _x_axis(plot.width, left, right)]
    return Text("\n").join([*lines, Text(), *_legend(curves)])


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _curves(planned: Plan) -> list[Curve]:
    """Group attributes whose errors look the same; the largest error comes first."""
    groups: dict[str, list[tuple[str, float]]] = {}
    for one in planned.errors:
        groups.setdefault(f"{one.error:.1e}", []).append((one.attribute, one.error))
    curves = [Curve(tuple(name for name, _ in group), group[0][1]) for group in groups.values()]
    curves.sort(key=lambda curve: -curve.error)
    return curves if len(curves) <= 6 else [*curves[:3], *curves[-3:]]


def _error_at(curve: Curve, devices: int, decade: int) -> float:
    return curve.error * math.sqrt(devices / 10**decade)


def _y_labels(top: float, bottom: float) -> dict[int, str]:
    """Return the label of each row that holds a round error: 1, 2 or 5 times a power of ten."""
    labels = {}
    for decade in range(math.floor(bottom), math.ceil(top) + 1):
        for step in (5, 2, 1):
            down = (top - math.log10(step) - decade) / (top - bottom)
            if 0 <= down < 1:
                labels[round(down * (4 * HEIGHT - 1)) // 4] = f"±{step * 10.0 ** (decade + 2):g}%"
    return labels


def _x_axis(width: int, left: int, right: int) -> list[str]:
    ticks, labels = ["─"] * width, [" "] * (width + AXIS)
    for decade in range(left, right + 1):
        column = round((decade - left) / (right - left) * (width - 1))
        ticks[column] = "┴"
        label = short(10**decade)
        start = min(AXIS + column - len(label) // 2, width + AXIS - len(label))
        labels[start : start + len(label)] = label
    return [" " * (AXIS - 1) + "└" + "".join(ticks), "".join(labels).rstrip() + UNIT]


def _legend(curves: Sequence[Curve]) -> list[Text]:
    lines = []
    for place, curve in enumerate(curves):
        names = ", ".join(curve.names[:6]) + (", ..." if len(curve.names) > 6 else "")
        letter = (ascii_lowercase[place], f"bold {_colour(place)}")
        lines.append(Text.assemble("  ", letter, f"  ±{curve.error:.2%}  {names}"))
    return lines


def short(count: int) -> str:
    """Write a round number shortly.

    >>> short(1000), short(10_000_000), short(100)
    ('1k', '10M', '100')
    """
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= size:
            return f"{count // size}{letter}"
    return str(count)


def strip(low: float, high: float, marks: dict[str, float], width: int = 21) -> str:
    """Draw an interval on a line, with marks at some values; the last mark is on top.

    >>> strip(0.0, 1.0, {"o": 0.5}, width=9)
    ' ├──o──┤ '
    """
    if not math.isfinite(high - low):
        return " " * width
    reach = (high - low) * 0.25
    start, stop = low - reach, high + reach

    def place(value: float) -> int:
        share = (value - start) / (stop - start)
        return round(min(max(share, 0.0), 1.0) * (width - 1))

    line = [" "] * width
    for column in range(place(low) + 1, place(high)):
        line[column] = "─"
    line[place(low)], line[place(high)] = "├", "┤"
    for mark, value in marks.items():
        line[place(value)] = mark
    return "".join(line)


def axis_strip(
    low: float, high: float, estimate: float, domain: tuple[float, float], width: int = 20
) -> str:
    """Draw an estimate and its interval on the axis of its domain.

    >>> axis_strip(0.25, 0.75, 0.5, (0.0, 1.0), width=9)
    '··──●──··'
    """

    def place(value: float) -> int:
        share = (value - domain[0]) / (domain[1] - domain[0])
        return round(min(max(share, 0.0), 1.0) * (width - 1))

    if not math.isfinite(estimate):
        return "·" * width
    line = ["·"] * width
    for column in range(place(low), place(high) + 1):
        line[column] = "─"
    line[place(estimate)] = "●"
    return "".join(line)
