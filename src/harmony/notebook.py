"""How surveys, tallies and estimates look in a notebook: small tables, with nothing loaded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from .estimate.writing import number_writer

if TYPE_CHECKING:
    from .estimate.result import Estimate, Result
    from .learn.model import Model
    from .plan import Plan
    from .survey import Survey
    from .tally import Tally

SHOWN_VALUES = 24

_BAR = "background:#a9cde4;height:.7em;min-width:1px;width:{width:.1f}px"


def html_table(
    title: str, headings: Sequence[str], rows: Iterable[Sequence[str]], note: str = ""
) -> str:
    """Return a table; headings that start with ">" stand over numbers, "<" over plain HTML.

    >>> html_table("a & b", ["name", ">n"], [["x", "3"]]).count("&amp;")
    1
    """
    sides = ["right" if heading.startswith(">") else "left" for heading in headings]
    plain = [heading.startswith("<") for heading in headings]
    head = "".join(
        f'<th style="text-align:{side}">{escape(heading.lstrip("<>"))}</th>'
        for heading, side in zip(headings, sides, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:{side}">{cell if as_is else escape(cell)}</td>'
            for cell, side, as_is in zip(row, sides, plain, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    below = f"<div>{escape(note)}</div>" if note else ""
    return (
        f"<div><strong>{escape(title)}</strong></div>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"
    )


def survey_html(survey: Survey) -> str:
    """Show a survey: its attributes, how often each is asked, and what an answer is worth."""
    from .plan import asked_shares

    rows = [
        [
            attribute.name,
            f"{len(attribute.values):,} values"
            if attribute.values
            else f"{attribute.low:g} .. {attribute.high:g}",  # type: ignore[union-attr]  # no values: numeric
            f"{share:.0%}",
            f"{survey.mechanisms[0][place].reference_noise:.3g}",
        ]
        for place, (attribute, share) in enumerate(
            zip(survey.attributes, asked_shares(survey), strict=True)
        )
    ]
    return html_table(repr(survey)[1:-1], ["attribute", "takes", ">asked", ">variance"], rows)


def tally_html(tally: Tally) -> str:
    """Show a tally: how many reports it holds, by tier."""
    rows = [[str(tier), f"{count:,}"] for tier, count in enumerate(tally.tier_reports)]
    return html_table(repr(tally)[1:-1], ["tier", ">reports"], rows)


def estimate_rows(one: Estimate) -> list[list[str]]:
    """Return the rows of one estimate, with a bar for each frequency."""
    rows = one.rows()
    write = number_writer(rows)
    return [
        [
            one.name if place == 0 else "",
            "mean" if row["value"] is None else str(row["value"]),
            write(row["estimate"]),
            f"{write(row['low'])} .. {write(row['high'])}",
            write(row["consistent"]),
            f"{one.n:,}" if place == 0 else "",
            _bar(row["value"] is not None and one.n > 0, row["consistent"]),
            one.verdict if place == 0 and one.verdict != "ok" else "",
        ]
        for place, row in enumerate(rows[:SHOWN_VALUES])
    ]


def _bar(wanted: bool, share: float) -> str:
    return f'<div style="{_BAR.format(width=120 * share)}"></div>' if wanted else ""


HEADINGS = ("attribute", "value", ">estimate", ">95% interval", ">consistent", ">n", "<", "")


def estimates_html(title: str, estimates: Iterable[Estimate]) -> str:
    """Show estimates with their intervals."""
    shown = list(estimates)
    rows = [row for one in shown for row in estimate_rows(one)]
    cut = sum(max(0, len(one.rows()) - SHOWN_VALUES) for one in shown)
    return html_table(title, HEADINGS, rows, f"{cut:,} more values in to_frame()" if cut else "")


def result_html(result: Result) -> str:
    """Show the estimates of a round."""
    return estimates_html(repr(result).splitlines()[0], result.estimates.values())


def plan_html(plan: Plan) -> str:
    """Show a plan."""
    rows = [
        [one.attribute, f"{one.answers:,}", f"± {one.in_units:.2g}", f"{one.error:.2%}"]
        for one in plan.errors
    ]
    headings = ["attribute", ">answers", ">expected error", ">of the domain"]
    return html_table(repr(plan).splitlines()[0], headings, rows)


def model_html(model: Model) -> str:
    """Show a model: the weight of each feature, or of each of its values."""
    training, rows = model.training, [["(intercept)", "", f"{model.intercept:+.4g}"]]
    for feature in training.features:
        weights = model.weights[feature.name]
        if feature.values:
            named = zip(feature.values, weights, strict=True)
            rows += [[feature.name, str(value), f"{weight:+.4g}"] for value, weight in named]
        else:
            rows.append([feature.name, "scaled to -1 .. 1", f"{weights:+.4g}"])
    title = f"{training.name}: {training.label.name}, {training.loss} loss, epsilon "
    return html_table(f"{title}{training.epsilon:g}", ["feature", "value", ">weight"], rows)
